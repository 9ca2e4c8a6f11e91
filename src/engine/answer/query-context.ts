// A query on its way to an answer: what was read, who sent it, and what was found out so far. One serves all
// queries of a thread as they come; each query that waits for upstreams has a copy of its own. A new field is
// added here only: `copyFrom` is the one place that names them all.

import { pass, type Verdict } from '#policy';
import { hashName, type QueryView } from '#wire';
import type { LocalAddress } from '../query-source.ts';
import { keyOf } from '../cache/reply-keeper.ts';
import { ClientAddress } from '../client-address.ts';
import { transports, type Transport } from '../transport.ts';

const nowhere: LocalAddress = { text: '', bytes: new Uint8Array(4) };

export class QueryContext {
  readonly view: QueryView;
  readonly client = new ClientAddress();
  transport: Transport = transports.udp;
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
  /** By which the cache and the questions in flight are searched; set by `setLookup`. */
  hash = 0;
  key = 0;
  /** Where the answer is written, and how long it may be. */
  out: Uint8Array = nowhere.bytes;
  outStart = 0;
  outBytes = 0;

  constructor(view: QueryView) {
    this.view = view;
  }

  /** All but the packet that was read and the place of the answer: those belong to the holder. */
  copyFrom(other: QueryContext): void {
    this.client.copyFrom(other.client);
    this.transport = other.transport;
    this.local = other.local;
    this.groups = other.groups;
    this.privacy = other.privacy;
    this.verdict = other.verdict;
    this.stepsLeft = other.stepsLeft;
    this.startedMs = other.startedMs;
    this.target = other.target;
    this.hash = other.hash;
    this.key = other.key;
  }

  setOut(out: Uint8Array, outStart: number, outBytes: number): void {
    this.out = out;
    this.outStart = outStart;
    this.outBytes = outBytes;
  }

  /** Hash and key of the name that is looked up, computed once for cache and upstreams. */
  setLookup(hashSeed: number): void {
    const { target, view } = this;
    this.hash = target === undefined ? view.hash : hashName(target, target.length, hashSeed);
    this.key = keyOf(view.type, view.dnssecOk, view.checkingDisabled);
  }

  /** The name that is looked up. There may be other bytes behind its end. */
  get lookupName(): Uint8Array {
    return this.target ?? this.view.name;
  }

  get lookupLength(): number {
    return this.target === undefined ? this.view.nameLength : this.target.length;
  }

  /** How long the answer may be: what the transport allows, and what the client says where that counts. */
  get limitBytes(): number {
    const { maxAnswerBytes, truncates } = this.transport;
    const most = Math.min(maxAnswerBytes, this.outBytes);
    return truncates ? Math.min(this.view.udpBytes, most) : most;
  }
}
