// Reads the data of one record part by part, for its text. A missing part sets `isWhole` to false and reads
// as empty, so that the functions that build the text need no checks: their caller checks once at the end.

import { u16, u32, u8 } from '../bytes.ts';
import { nameToText } from '../name-text.ts';
import { NAME_BUFFER_BYTES, readNameAsWritten, skipName } from '../names.ts';
import type { RecordCursor } from '../record-cursor.ts';
import { ipv4Text, ipv6Text } from './address-text.ts';

export class DataReader {
  readonly bytes: Uint8Array;
  isWhole = true;
  at: number;
  readonly end: number;
  readonly #messageStart: number;

  constructor(record: RecordCursor) {
    this.bytes = record.bytes;
    this.at = record.dataAt;
    this.end = record.dataAt + record.dataLength;
    this.#messageStart = record.messageStart;
  }

  get isAtEnd(): boolean {
    return this.at >= this.end;
  }

  u8(): number {
    const at = this.advance(1);
    return at === -1 ? 0 : u8(this.bytes, at);
  }

  u16(): number {
    const at = this.advance(2);
    return at === -1 ? 0 : u16(this.bytes, at);
  }

  u32(): number {
    const at = this.advance(4);
    return at === -1 ? 0 : u32(this.bytes, at);
  }

  ipv4(): string {
    const at = this.advance(4);
    return at === -1 ? '' : ipv4Text(this.bytes, at);
  }

  ipv6(): string {
    const at = this.advance(16);
    return at === -1 ? '' : ipv6Text(this.bytes, at);
  }

  name(): string {
    const out = new Uint8Array(NAME_BUFFER_BYTES);
    const length = readNameAsWritten(this.bytes, this.#messageStart, this.at, this.end, out);
    const next = skipName(this.bytes, this.at, this.end);
    if (length === -1 || next === -1) return this.#fail();
    this.at = next;
    return nameToText(out);
  }

  /** A length-prefixed string, in quotes. */
  string(): string {
    return this.quoted(this.u8());
  }

  /** This many bytes, or the rest, in quotes. */
  quoted(length = this.end - this.at): string {
    const at = this.advance(length);
    return at === -1 ? '' : quote(this.bytes, at, at + length);
  }

  hex(length = this.end - this.at): string {
    const at = this.advance(length);
    return at === -1
      ? ''
      : this.bytes
          .subarray(at, at + length)
          .toHex()
          .toUpperCase();
  }

  base64(length = this.end - this.at): string {
    const at = this.advance(length);
    return at === -1 ? '' : this.bytes.subarray(at, at + length).toBase64();
  }

  /** Consumes the next bytes and returns their offset; -1 when there are not enough. */
  advance(length: number): number {
    const at = this.at;
    if (length < 0 || at + length > this.end) {
      this.#fail();
      return -1;
    }
    this.at = at + length;
    return at;
  }

  #fail(): '' {
    this.isWhole = false;
    this.at = this.end;
    return '';
  }
}

/** RFC 1035 section 5.1: quotes and backslashes are escaped with a backslash, unprintable bytes as \DDD. */
function quote(bytes: Uint8Array, from: number, end: number): string {
  let text = '"';
  for (let at = from; at < end; at += 1) {
    const byte = u8(bytes, at);
    if (byte < 0x20 || byte >= 0x7f) text += `\\${String(byte).padStart(3, '0')}`;
    else if (byte === 0x22 || byte === 0x5c) text += `\\${String.fromCharCode(byte)}`;
    else text += String.fromCharCode(byte);
  }
  return `${text}"`;
}
