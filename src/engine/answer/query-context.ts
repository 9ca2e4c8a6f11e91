// A query on its way to an answer: what was read, who asks, and what was found out so far. Two of these serve
// a whole thread, one for queries as they come and one for answers that come later.

import { pass, type Verdict } from '#policy';
import { QueryView } from '#wire';
import type { LocalAddress, Transport } from '../query-source.ts';
import { ClientAddress } from '../client-address.ts';

/** What we take and give over UDP: fits every path without fragments. */
export const udpBytesMax = 1232;

const nowhere: LocalAddress = { text: '', bytes: new Uint8Array(4) };

export class QueryContext {
  readonly view: QueryView;
  readonly client = new ClientAddress();
  transport: Transport = 'udp';
  local: LocalAddress = nowhere;
  groups = 0;
  /** What its groups want to be hidden of it in the history, 0 to 3. */
  privacy = 0;
  verdict: Verdict = pass;
  /** Of the policy's budget, for the names that the answer leads to. */
  stepsLeft = 0;
  startedMs = 0;
  /** Another name whose records are the answer, at the end of local aliases; undefined: the name asked. */
  target: Uint8Array | undefined;
  /** Where the answer is written, and how long it may be. */
  out: Uint8Array = nowhere.bytes;
  outStart = 0;
  outBytes = 0;

  constructor(hashSeed: number) {
    this.view = new QueryView(hashSeed);
  }

  /** What the client can take: over UDP what it says, but never more than gets there for sure. */
  get limitBytes(): number {
    if (this.transport !== 'udp') return this.outBytes;
    return Math.min(this.view.udpBytes, udpBytesMax, this.outBytes);
  }
}
