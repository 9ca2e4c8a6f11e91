// Reads the data of SVCB and HTTPS records (RFC 9460 section 2.2): a priority, a target, and parameters in
// the order of their keys. Hints contain addresses, which must be checked like those of A and AAAA. A
// reusable cursor, like that for records.

import { u16 } from './bytes.ts';
import { skipName } from './names.ts';

export const SvcParamKey = {
  mandatory: 0,
  alpn: 1,
  noDefaultAlpn: 2,
  port: 3,
  ipv4hint: 4,
  ech: 5,
  ipv6hint: 6,
  dohpath: 7,
  ohttp: 8,
} as const;

const nothing = new Uint8Array(0);

export class SvcParamCursor {
  bytes: Uint8Array = nothing;
  /** 0: an alias to the target, without parameters. */
  priority = 0;
  targetAt = 0;
  key = 0;
  valueAt = 0;
  valueLength = 0;
  malformed = false;
  #nextAt = 0;
  #end = 0;

  /** Starts before the first parameter; false when priority or target are malformed. */
  start(bytes: Uint8Array, dataAt: number, dataLength: number): boolean {
    this.bytes = bytes;
    this.#end = dataAt + dataLength;
    this.#nextAt = this.#end;
    this.key = -1;
    const next = dataLength < 3 ? -1 : skipName(bytes, dataAt + 2, this.#end);
    this.malformed = next === -1;
    if (next === -1) return false;
    this.priority = u16(bytes, dataAt);
    this.targetAt = dataAt + 2;
    this.#nextAt = next;
    return true;
  }

  /** False at the end, and when the next parameter is malformed: see `malformed`. */
  next(): boolean {
    const at = this.#nextAt;
    if (at === this.#end) return false;
    if (at + 4 > this.#end) return this.#stop();
    const key = u16(this.bytes, at);
    const length = u16(this.bytes, at + 2);
    // Keys must increase: with a duplicate key a second hint could hide behind the first.
    if (key <= this.key || at + 4 + length > this.#end) return this.#stop();
    this.key = key;
    this.valueAt = at + 4;
    this.valueLength = length;
    this.#nextAt = at + 4 + length;
    return true;
  }

  #stop(): false {
    this.malformed = true;
    this.#nextAt = this.#end;
    return false;
  }
}
