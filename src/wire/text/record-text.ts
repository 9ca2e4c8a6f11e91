// Records as text: the presentation form of the common types, and RFC 3597's "\# length hex" for all others
// and for data that does not have the form of its type. For display and for comparing, never on the path of a
// query. Names have no dot at the end.

import { Type } from '../codes.ts';
import { nameToText } from '../name-text.ts';
import { NAME_BUFFER_BYTES, readNameAsWritten } from '../names.ts';
import type { RecordCursor } from '../record-cursor.ts';
import { classText, typeText } from './code-text.ts';
import { DataReader } from './data-reader.ts';
import { svcbText } from './svcb-text.ts';

type DataText = (data: DataReader) => string;

const nameOnly: DataText = (data) => data.name();
const preferredName: DataText = (data) => `${data.u16()} ${data.name()}`;
const key: DataText = (data) => `${data.u16()} ${data.u8()} ${data.u8()} ${data.base64()}`;
const digest: DataText = (data) => `${data.u16()} ${data.u8()} ${data.u8()} ${data.hex()}`;
const certificate: DataText = (data) => `${data.u8()} ${data.u8()} ${data.u8()} ${data.hex()}`;

const DATA_TEXTS: ReadonlyMap<number, DataText> = new Map([
  [Type.A, (data) => data.ipv4()],
  [Type.AAAA, (data) => data.ipv6()],
  [Type.NS, nameOnly],
  [Type.CNAME, nameOnly],
  [Type.PTR, nameOnly],
  [Type.DNAME, nameOnly],
  [Type.MX, preferredName],
  [Type.AFSDB, preferredName],
  [Type.KX, preferredName],
  [Type.RP, (data) => `${data.name()} ${data.name()}`],
  [Type.TXT, stringsText],
  [Type.SPF, stringsText],
  [Type.HINFO, (data) => `${data.string()} ${data.string()}`],
  [Type.SOA, soaText],
  [Type.SRV, (data) => `${data.u16()} ${data.u16()} ${data.u16()} ${data.name()}`],
  [Type.NAPTR, naptrText],
  [Type.URI, (data) => `${data.u16()} ${data.u16()} ${data.quoted()}`],
  [Type.CAA, caaText],
  [Type.SVCB, svcbText],
  [Type.HTTPS, svcbText],
  [Type.DS, digest],
  [Type.CDS, digest],
  [Type.DNSKEY, key],
  [Type.CDNSKEY, key],
  [Type.RRSIG, rrsigText],
  [Type.SSHFP, (data) => `${data.u8()} ${data.u8()} ${data.hex()}`],
  [Type.TLSA, certificate],
  [Type.SMIMEA, certificate],
  [Type.NSEC, (data) => `${data.name()}${bitmapText(data)}`],
]);

/** The current record of the cursor: name, TTL, class, type, data. */
export function recordText(record: RecordCursor): string {
  const owner = new Uint8Array(NAME_BUFFER_BYTES);
  const { bytes, messageStart, nameAt, messageEnd } = record;
  const isName = readNameAsWritten(bytes, messageStart, nameAt, messageEnd, owner) !== -1;
  const name = isName ? nameToText(owner) : '?';
  const { ttlSeconds, type } = record;
  return `${name} ${ttlSeconds} ${classText(record.class)} ${typeText(type)} ${dataText(record)}`;
}

/** The data alone. */
export function dataText(record: RecordCursor): string {
  const toText = DATA_TEXTS.get(record.type);
  if (toText === undefined) return genericText(record);
  const data = new DataReader(record);
  const text = toText(data);
  return data.isWhole && data.isAtEnd ? text : genericText(record);
}

function genericText(record: RecordCursor): string {
  const data = new DataReader(record);
  return `\\# ${record.dataLength} ${data.hex()}`.trimEnd();
}

function stringsText(data: DataReader): string {
  const strings = [data.string()];
  while (!data.isAtEnd) strings.push(data.string());
  return strings.join(' ');
}

function soaText(data: DataReader): string {
  const names = `${data.name()} ${data.name()}`;
  return `${names} ${data.u32()} ${data.u32()} ${data.u32()} ${data.u32()} ${data.u32()}`;
}

function naptrText(data: DataReader): string {
  const order = `${data.u16()} ${data.u16()}`;
  return `${order} ${data.string()} ${data.string()} ${data.string()} ${data.name()}`;
}

/** RFC 8659 section 4.1: a tag consists of letters and digits; other data is not shown as a tag. */
function caaText(data: DataReader): string {
  const flags = data.u8();
  const tag = data.string().slice(1, -1);
  if (!/^[a-z\d]+$/i.test(tag)) data.isWhole = false;
  return `${flags} ${tag} ${data.quoted()}`;
}

function rrsigText(data: DataReader): string {
  const head = `${typeText(data.u16())} ${data.u8()} ${data.u8()} ${data.u32()}`;
  const times = `${timeText(data.u32())} ${timeText(data.u32())}`;
  return `${head} ${times} ${data.u16()} ${data.name()} ${data.base64()}`;
}

/** RFC 4034 section 3.2: YYYYMMDDHHmmSS in UTC. */
function timeText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replaceAll(/\.\d+Z|\D/g, '');
}

/** RFC 4034 section 4.1.2: windows of 256 types, each with as many bytes of bits as it needs. */
function bitmapText(data: DataReader): string {
  let text = '';
  while (!data.isAtEnd) {
    const window = data.u8();
    for (let left = data.u8(), first = window * 256; left > 0 && data.isWhole; left -= 1, first += 8) {
      const bits = data.u8();
      for (let bit = 0; bit < 8; bit += 1) {
        if ((bits & (0x80 >> bit)) !== 0) text += ` ${typeText(first + bit)}`;
      }
    }
  }
  return text;
}
