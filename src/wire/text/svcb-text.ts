// The data of SVCB and HTTPS records as text (RFC 9460 section 2.1), with the names of known parameters. A
// value that does not have its parameter's form is shown as bytes, as the server sent it.

import { u16, u8 } from '../bytes.ts';
import { SvcParamKey } from '../svcb.ts';
import { ipv4Text, ipv6Text } from './address-text.ts';
import type { DataReader } from './data-reader.ts';

const KEY_TEXTS: ReadonlyMap<number, string> = new Map([
  [SvcParamKey.mandatory, 'mandatory'],
  [SvcParamKey.alpn, 'alpn'],
  [SvcParamKey.noDefaultAlpn, 'no-default-alpn'],
  [SvcParamKey.port, 'port'],
  [SvcParamKey.ipv4hint, 'ipv4hint'],
  [SvcParamKey.ech, 'ech'],
  [SvcParamKey.ipv6hint, 'ipv6hint'],
  [SvcParamKey.dohpath, 'dohpath'],
  [SvcParamKey.ohttp, 'ohttp'],
]);

export function svcbText(data: DataReader): string {
  let text = `${data.u16()} ${data.name()}`;
  while (!data.isAtEnd) {
    const key = data.u16();
    const length = data.u16();
    const at = data.advance(length);
    if (at !== -1) text += ` ${paramText(data, key, at, length)}`;
  }
  return text;
}

function keyText(key: number): string {
  return KEY_TEXTS.get(key) ?? `key${key}`;
}

function paramText(data: DataReader, key: number, at: number, length: number): string {
  if (length === 0) return keyText(key);
  return `${keyText(key)}=${valueText(data, key, at, length) ?? bytesText(data, at, length)}`;
}

/** undefined when the value does not have the form of its key. */
function valueText({ bytes }: DataReader, key: number, at: number, length: number): string | undefined {
  switch (key) {
    case SvcParamKey.mandatory:
      return listText(at, length, 2, (item) => keyText(u16(bytes, item)));
    case SvcParamKey.alpn:
      return alpnText(bytes, at, length);
    case SvcParamKey.port:
      return length === 2 ? String(u16(bytes, at)) : undefined;
    case SvcParamKey.ipv4hint:
      return listText(at, length, 4, (item) => ipv4Text(bytes, item));
    case SvcParamKey.ipv6hint:
      return listText(at, length, 16, (item) => ipv6Text(bytes, item));
    case SvcParamKey.ech:
      return bytes.subarray(at, at + length).toBase64();
    default:
      return undefined;
  }
}

function listText(
  at: number,
  length: number,
  itemBytes: number,
  text: (itemAt: number) => string,
): string | undefined {
  if (length % itemBytes !== 0) return undefined;
  return Array.from({ length: length / itemBytes }, (_, index) => text(at + index * itemBytes)).join(',');
}

/** Length-prefixed protocol names; undefined for unusual characters, which the general form shows. */
function alpnText(bytes: Uint8Array, from: number, length: number): string | undefined {
  const names: string[] = [];
  const end = from + length;
  for (let at = from; at < end; at += u8(bytes, at) + 1) {
    const stop = at + 1 + u8(bytes, at);
    const name = stop > end ? '' : String.fromCharCode(...bytes.subarray(at + 1, stop));
    if (!/^[\w./-]+$/.test(name)) return undefined;
    names.push(name);
  }
  return `"${names.join(',')}"`;
}

/** The reader's form for bytes, at a position that it has already passed. */
function bytesText(data: DataReader, at: number, length: number): string {
  const next = data.at;
  data.at = at;
  const text = data.quoted(length);
  data.at = next;
  return text;
}
