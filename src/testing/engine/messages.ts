// Queries and replies from the words of a scenario, and answers back into its words. All bytes are made and
// read by `dns-packet`. What must hold of every answer is checked here once.

import { decode, encode, type DecodedPacket } from 'dns-packet';
import type { CleanReply } from '../../engine/reply/clean-reply.ts';
import { ReplyCleaner } from '../../engine/reply/reply-cleaner.ts';
import type { Question } from '../../engine/upstream/forwarding.ts';
import { nameToText, typeText } from '#wire';
import { packetType, parseRecord, plainName, recordText, type Shape } from './record-text.ts';

const rcodes: Readonly<Record<string, number>> = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  NOTAUTH: 9,
  BADVERS: 16,
  BADCOOKIE: 23,
};
const flags = { rd: 0x100, ad: 0x20, cd: 0x10, aa: 0x400, tc: 0x200, ra: 0x80, qr: 0x8000 } as const;

// dns-packet takes and gives more than its types say: raw types, numbers of classes, options as they are.
const encodeLoose = (packet: Shape): Uint8Array => new Uint8Array(encode(packet));

export interface MadeQuery {
  readonly bytes: Uint8Array;
  readonly name: string;
  readonly id: number;
  readonly flags: number;
  readonly hasEdns: boolean;
  readonly limitBytes: number;
}

/** `NAME TYPE [+do] [+cd] [+ad] [+norec] [edns=N] [noedns] [version=N] [option=CODE:HEX] [class=CH]` … */
export function makeQuery(words: readonly string[]): MadeQuery {
  const [name = '', type = '', ...rest] = words;
  const id = Number(valueOf(rest, 'id') ?? 4711);
  const hasEdns = !rest.includes('noedns');
  const norec = rest.includes('+norec') ? 0 : flags.rd;
  const bits = (['ad', 'cd'] as const)
    .filter((flag) => rest.includes(`+${flag}`))
    .reduce<number>((all, flag) => all | flags[flag], norec);
  const question = { name: plainName(name), type: packetType(type), class: valueOf(rest, 'class') ?? 'IN' };
  const bytes = encodeLoose({
    type: 'query',
    id,
    flags: bits,
    questions: [question],
    additionals: hasEdns ? [optOf(rest)] : [],
  });
  return { bytes, name, id, flags: bits, hasEdns, limitBytes: limitOf(rest, hasEdns) };
}

const valueOf = (words: readonly string[], key: string): string | undefined =>
  words.find((word) => word.startsWith(`${key}=`))?.slice(key.length + 1);

const sizeOf = (words: readonly string[]): number => Number(valueOf(words, 'edns') ?? 1232);

/** What the client can take by what it says, as RFC 6891 and our own limit have it. */
function limitOf(words: readonly string[], hasEdns: boolean): number {
  if (words.includes('tcp')) return 65_535;
  return hasEdns ? Math.min(Math.max(sizeOf(words), 512), 1232) : 512;
}

function optOf(words: readonly string[]): Shape {
  const [code = '', data = ''] = (valueOf(words, 'option') ?? '').split(':');
  return {
    name: '.',
    type: 'OPT',
    udpPayloadSize: sizeOf(words),
    extendedRcode: 0,
    ednsVersion: Number(valueOf(words, 'version') ?? 0),
    flags: words.includes('+do') ? 0x8000 : 0,
    options: code === '' ? [] : [{ code: Number(code), data: Buffer.from(data, 'hex') }],
  };
}

export const questionText = ({ name, type, dnssecOk, checkingDisabled }: Question): string =>
  `${nameToText(name)} ${typeText(type)}${dnssecOk ? ' +do' : ''}${checkingDisabled ? ' +cd' : ''}`;

/** `RCODE [aa] [tc] [ad] [-ra] [ede=N]`, with records below; those of other sections say which. */
export function makeReply(
  question: Question,
  words: readonly string[],
  lines: readonly string[],
): Uint8Array {
  const [rcode = '', ...rest] = words;
  const number = rcodes[rcode];
  if (number === undefined) throw new Error(`"${rcode}" is no rcode that scenarios know`);
  const set = (['aa', 'tc', 'ad'] as const).filter((flag) => rest.includes(flag));
  const ede = Number(rest.find((word) => word.startsWith('ede='))?.slice(4) ?? -1);
  const options = ede < 0 ? [] : [{ code: 15, data: Buffer.from([ede >> 8, ede & 0xff]) }];
  const opt = { name: '.', type: 'OPT', udpPayloadSize: 1232, extendedRcode: number >> 4, flags: 0, options };
  const bits = set.reduce((all, flag) => all | flags[flag], rest.includes('-ra') ? 0 : flags.ra);
  const section = (prefix: string): unknown[] =>
    lines.filter((line) => sectionOf(line) === prefix).map((line) => parseRecord(withoutSection(line)));
  const message = encodeLoose({
    type: 'response',
    id: 0,
    flags: bits | (number & 0xf),
    questions: [{ name: nameToText(question.name), type: packetType(typeText(question.type)) }],
    answers: section(''),
    authorities: section('authority'),
    additionals: rest.includes('noopt') ? section('additional') : [...section('additional'), opt],
  });
  return message;
}

/** The same, as it is handed on by upstreams. */
export function makeCleanReply(
  question: Question,
  words: readonly string[],
  lines: readonly string[],
): CleanReply {
  const message = makeReply(question, words, lines);
  const reply = new ReplyCleaner().clean(message, 0, message.length, question.name);
  if (reply === undefined) throw new Error(`upstreams would refuse this reply: ${lines.join(', ')}`);
  return reply;
}

const sectionOf = (line: string): string => /^\s*(authority|additional):/u.exec(line)?.[1] ?? '';
const withoutSection = (line: string): string => line.replace(/^\s*(authority|additional):/u, '');

/** An expected answer in the form that `answerText` has. */
export function expectedText(words: readonly string[], lines: readonly string[]): string {
  return [words.join(' '), ...lines.map((line) => expectedLine(line.trim()))].join('\n');
}

function expectedLine(line: string): string {
  if (line.startsWith('soa ')) return `  ${line}`;
  const prefix = sectionOf(line);
  // A parsed record is a plain object.
  const record = parseRecord(withoutSection(line)) as unknown as Shape;
  return `  ${prefix === '' ? '' : `${prefix}: `}${recordText(record)}`;
}

/** The answer in words, after what must hold of every answer has been checked. */
export function answerText(bytes: Uint8Array, query: MadeQuery): string {
  const packet = decode(Buffer.from(bytes));
  const number = checked(bytes, packet, query);
  // dns-packet gives records as plain objects.
  const additionals = (packet.additionals ?? []) as readonly unknown[] as readonly Shape[];
  const opt = additionals.find((record) => record['type'] === 'OPT');
  const code = number | (Number(opt?.['extendedRcode'] ?? 0) << 4);
  const rcode = Object.keys(rcodes).find((key) => rcodes[key] === code) ?? `RCODE${code}`;
  const bits = (['aa', 'tc', 'ad'] as const).filter((flag) => (flagsOf(bytes) & flags[flag]) !== 0);
  const head = [rcode, ...bits, ...edeWords(opt), ...(packet.questions?.length === 0 ? ['bare'] : [])];
  return [
    head.join(' '),
    ...texts(packet.answers, ''),
    ...texts(packet.authorities, 'authority: '),
    ...texts(
      additionals.filter((record) => record['type'] !== 'OPT'),
      'additional: ',
    ),
  ].join('\n');
}

const flagsOf = (bytes: Uint8Array): number => ((bytes[2] ?? 0) << 8) | (bytes[3] ?? 0);

/** Returns the header's rcode. */
function checked(bytes: Uint8Array, packet: DecodedPacket, query: MadeQuery): number {
  const set = flagsOf(bytes);
  const question = packet.questions?.[0];
  const wrong = [
    packet.id !== query.id && `id ${packet.id}`,
    (set & flags.qr) === 0 && 'no QR',
    (set & flags.rd) !== (query.flags & flags.rd) && 'RD is not that of the query',
    bytes.length > query.limitBytes && `${bytes.length} bytes, more than ${query.limitBytes}`,
    ...(question === undefined ? [] : wrongWithQuestion(set, question.name, packet, query)),
  ].filter((text) => text !== false);
  if (wrong.length > 0) throw new Error(`the answer is wrong: ${wrong.join(', ')}`);
  return set & 0xf;
}

/** What must hold besides when the answer is more than the bare header of an error. */
function wrongWithQuestion(
  set: number,
  name: string,
  { additionals = [] }: DecodedPacket,
  query: MadeQuery,
): (string | false)[] {
  const hasOpt = additionals.some(({ type }) => type === 'OPT');
  return [
    (set & flags.cd) !== (query.flags & flags.cd) && 'CD is not that of the query',
    (set & flags.ra) === 0 && 'no RA',
    name !== plainName(query.name) && `question ${name}`,
    hasOpt !== query.hasEdns && (hasOpt ? 'OPT though not asked for' : 'no OPT'),
  ];
}

function edeWords(opt: Shape | undefined): string[] {
  // dns-packet gives options as a list of codes and buffers.
  const options = (opt?.['options'] ?? []) as readonly { readonly code: number; readonly data: Buffer }[];
  const ede = options.find(({ code }) => code === 15)?.data;
  if (ede === undefined) return [];
  const text = ede.subarray(2).toString();
  return [`ede=${ede.readUInt16BE(0)}`, ...(text === '' ? [] : [`"${text}"`])];
}

const texts = (records: unknown, prefix: string): string[] =>
  // dns-packet gives records as plain objects.
  ((records ?? []) as readonly Shape[]).map(
    (record) => `  ${soaText(record) ?? prefix + recordText(record)}`,
  );

/** Our own SOA is always the same but for its TTL. */
function soaText({ type, ttl, data }: Shape): string | undefined {
  if (type !== 'SOA') return undefined;
  // The data of an SOA record.
  const { mname, minimum } = data as { readonly mname: string; readonly minimum: number };
  return mname === 'sluice.internal' && minimum === ttl ? `soa ${String(ttl)}` : undefined;
}
