// Generates packets for fuzzing: valid packets of every kind, mutated in critical fields (lengths, pointers,
// counts), truncated or concatenated, and pure noise. Random bytes alone would rarely get past the header.

import {
  AnswerWriter,
  Class,
  Ede,
  nameFromText,
  QueryView,
  questionName,
  RecordCursor,
  Section,
  Type,
  writeQuery,
} from '#wire';

import type { Random } from './random.ts';

export const MAX_PACKET_BYTES = 1500;
const MAX_MUTATIONS = 6;
/** Boundary values of label lengths, pointers, and the types and option codes that the codec parses. */
const INTERESTING = [0, 1, 2, 4, 5, 6, 12, 15, 28, 41, 46, 47, 63, 64, 65, 127, 128, 191, 192, 193, 255];

const cursor = new RecordCursor();

function name(text: string): Uint8Array {
  return nameFromText(text) ?? Uint8Array.of(0);
}

/** Valid messages to start from. */
export function soundPackets(): Uint8Array[] {
  return ['example.com', '.', 'a.rather.long.name.with.many.labels.example.org', 'x'].flatMap((text) => {
    const query = new Uint8Array(MAX_PACKET_BYTES);
    const plain = query.slice(0, writeQuery(query, 0, 1, 0, name(text), Type.A, Class.IN, 0, false));
    const edns = query.slice(0, writeQuery(query, 0, 2, 0, name(text), Type.HTTPS, Class.IN, 1232, true));
    return [plain, edns, soundAnswer(edns, false), soundAnswer(edns, true)];
  });
}

function soundAnswer(query: Uint8Array, isOptFirst: boolean): Uint8Array {
  const out = new Uint8Array(MAX_PACKET_BYTES);
  const view = new QueryView(0);
  const writer = new AnswerWriter();
  view.read(query, 0, query.length);
  writer.begin(out, 0, MAX_PACKET_BYTES, view, 0x80, 0);
  const host = name('host.example.com');
  writer.addName(Section.answer, questionName, Type.CNAME, Class.IN, 300, host);
  writer.addA(host, 60, Uint8Array.of(192, 0, 2, 1));
  writer.addAaaa(host, 60, new Uint8Array(16).fill(0x20));
  for (const [type, data] of DATA) writer.add(Section.answer, host, type, Class.IN, 9, data, 0, data.length);
  writer.addTxt(host, Class.CH, 0, ['some text', 'x'.repeat(260)]);
  writer.addSoa(name('example.com'), 900, name('ns.example.com'), host, 1, 2, 3, 4, 5);
  if (isOptFirst) writer.addOpt(1232, true, 0, Ede.blocked, name('text'));
  writer.addName(Section.additional, name('mx.example.com'), Type.NS, Class.IN, 1, name('ns.mx.example.com'));
  if (!isOptFirst) writer.addOpt(1232, true, 1, Ede.staleAnswer, undefined);
  return out.slice(0, writer.finish());
}

const DATA: readonly (readonly [number, Uint8Array])[] = [
  [Type.MX, Uint8Array.of(0, 10, 0xc0, 12)],
  [Type.SRV, Uint8Array.of(0, 1, 0, 2, 1, 187, 1, 0x61, 0)],
  [Type.CAA, Uint8Array.of(0, 5, 0x69, 0x73, 0x73, 0x75, 0x65, 0x78)],
  [
    Type.HTTPS,
    Uint8Array.of(
      0,
      1,
      0,
      0,
      1,
      0,
      3,
      2,
      0x68,
      0x32,
      0,
      4,
      0,
      4,
      1,
      2,
      3,
      4,
      0,
      6,
      0,
      16,
      ...name('a.b.c.d.e.f.g.h'),
    ),
  ],
  [Type.RRSIG, Uint8Array.of(0, 1, 13, 2, 0, 0, 0, 9, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 1, 0x61, 0, 9, 9)],
  [Type.NSEC, Uint8Array.of(1, 0x61, 0, 0, 2, 0x40, 1, 1, 1, 0x40)],
  [Type.NAPTR, Uint8Array.of(0, 1, 0, 2, 1, 0x75, 1, 0x78, 0, 0)],
  [65_280, Uint8Array.of(1, 2, 3)],
];

/** Writes the next packet into `out` (of MAX_PACKET_BYTES) and returns its length. */
export function nextPacket(random: Random, sound: readonly Uint8Array[], out: Uint8Array): number {
  const kind = random.below(20);
  if (kind === 0) return noise(random, out);
  let length = copyOf(random, sound, out, 0);
  if (kind === 1) length = copyOf(random, sound, out, random.below(length + 1));
  for (let left = random.below(MAX_MUTATIONS); left > 0; left -= 1) length = mutate(random, out, length);
  return length;
}

function noise(random: Random, out: Uint8Array): number {
  const length = random.below(200);
  for (let at = 0; at < length; at += 1) out[at] = random.byte();
  // Half of them get record counts, so that parsing continues after the header.
  if (random.below(2) === 0) out.fill(0, 2, 12).fill(1, 5, 6);
  return length;
}

function copyOf(random: Random, sound: readonly Uint8Array[], out: Uint8Array, at: number): number {
  const packet = sound[random.below(sound.length)] ?? out;
  const length = Math.min(packet.length, MAX_PACKET_BYTES - at);
  out.set(packet.subarray(0, length), at);
  return at + length;
}

function mutate(random: Random, out: Uint8Array, length: number): number {
  if (length === 0) return 0;
  const at = random.below(random.below(3) === 0 ? Math.min(length, 12) : length);
  const kind = random.below(8);
  if (kind === 0) return random.below(4) === 0 ? at : length;
  if (kind === 1) return Math.min(length + random.below(8), MAX_PACKET_BYTES);
  // Repeats some bytes, which moves all later ones.
  if (kind === 2) out.copyWithin(at + random.below(20), at, length);
  else if (kind === 3) putPointer(random, out, at, length);
  else if (kind === 4) return cutData(out, at, length);
  else out[at] = kind === 5 ? random.byte() : interestingByte(random);
  return length;
}

/** Mostly a pointer into the packet. */
function putPointer(random: Random, out: Uint8Array, at: number, length: number): void {
  out[at] = 0xc0 | random.below(random.below(8) === 0 ? 64 : 1 + (length >> 8));
  out[Math.min(at + 1, length - 1)] = random.byte();
}

/**
 * Truncates the packet inside a record's data and adjusts the data length, so that names in the data overrun.
 */
function cutData(out: Uint8Array, at: number, length: number): number {
  cursor.start(out, 0, length);
  while (cursor.next()) {
    if (at < cursor.dataAt || at >= cursor.recordEnd) continue;
    out[cursor.dataAt - 2] = (at - cursor.dataAt) >> 8;
    out[cursor.dataAt - 1] = at - cursor.dataAt;
    return at;
  }
  return length;
}

function interestingByte(random: Random): number {
  return INTERESTING[random.below(INTERESTING.length)] ?? 0;
}
