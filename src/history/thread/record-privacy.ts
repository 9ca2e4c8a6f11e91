// Decides for each record on its way from the ring into the history whether and how much of it may be stored.
// Filters by name or by client need a text for each record; they cost nothing while no setting uses them.
// Clients are noted here too, because this is the one place that sees every record.

import type { BlockList } from 'node:net';
import { RecordFlag, recordHeaderBytes, RecordWord, type RecordReader } from '#engine';
import { ipv4Text, ipv6Text, nameToText } from '#wire';
import { ownAddress } from './own-address.ts';
import type { SeenClients } from './seen-clients.ts';
import type { PrivacyLevel, PrivacyOf } from '../segments/intake.ts';
import type { HistoryPlan } from './history-plan.ts';

/** Not even counted. */
const leftOut: PrivacyLevel = 4;
const mapped = 0xffff;
const ownAddressWord = ownAddress.split('.').reduce((word, byte) => (word << 8) | Number(byte), 0);

export class RecordPrivacy {
  readonly #seen: SeenClients;
  readonly #level: PrivacyLevel;
  readonly #domains: ReadonlySet<string>;
  readonly #clients: BlockList | undefined;
  readonly #address = new Uint8Array(16);
  readonly #view = new DataView(this.#address.buffer);

  constructor(plan: HistoryPlan, seen: SeenClients) {
    this.#seen = seen;
    this.#level = levelOf(plan.privacyLevel);
    this.#domains = new Set(plan.leaveOutDomains.map((domain) => domain.toLowerCase().replace(/\.$/u, '')));
    this.#clients = plan.leaveOutClients.length === 0 ? undefined : blockListOf(plan.leaveOutClients);
  }

  readonly privacyOf: PrivacyOf = (reader, at) => {
    if (isOurOwn(reader.words, at >> 2)) return leftOut;
    if (this.#levelOf(reader, at) < 2) this.#note(reader, at);
    if (this.#clients !== undefined && this.#isClientLeftOut(reader, at, this.#clients)) return leftOut;
    return this.#domains.size > 0 && this.#isNameLeftOut(reader, at) ? leftOut : this.#level;
  };

  /** Includes the level of the client's groups. */
  #levelOf({ words }: RecordReader, at: number): number {
    const flags = words[(at >> 2) + RecordWord.typeAndRcode] ?? 0;
    return Math.max(this.#level, (flags >>> RecordFlag.privacyShift) & 3);
  }

  #note({ words, doubles }: RecordReader, at: number): void {
    const word = (at >> 2) + RecordWord.client;
    this.#seen.note(
      words[word] ?? 0,
      words[word + 1] ?? 0,
      words[word + 2] ?? 0,
      words[word + 3] ?? 0,
      doubles[at >> 3] ?? 0,
    );
  }

  #isClientLeftOut({ words }: RecordReader, at: number, clients: BlockList): boolean {
    const word = (at >> 2) + RecordWord.client;
    for (let i = 0; i < 4; i++) this.#view.setInt32(4 * i, words[word + i] ?? 0);
    const isIpv4 = words[word] === 0 && words[word + 1] === 0 && words[word + 2] === mapped;
    return isIpv4
      ? clients.check(ipv4Text(this.#address, 12), 'ipv4')
      : clients.check(ipv6Text(this.#address, 0), 'ipv6');
  }

  #isNameLeftOut({ words, bytes }: RecordReader, at: number): boolean {
    const length = (words[(at >> 2) + RecordWord.sizes] ?? 0) & 0xff;
    const nameAt = at + recordHeaderBytes;
    const name = nameToText(bytes.slice(nameAt, nameAt + length)).toLowerCase();
    for (let from = 0; from >= 0; from = name.indexOf('.', from) + 1 || -1)
      if (this.#domains.has(name.slice(from))) return true;
    return false;
  }
}

/** The api thread's own queries for the names of clients are not recorded. */
function isOurOwn(words: Int32Array, word: number): boolean {
  return (
    words[word + RecordWord.client + 3] === ownAddressWord &&
    words[word + RecordWord.client + 2] === mapped &&
    words[word + RecordWord.client + 1] === 0 &&
    words[word + RecordWord.client] === 0
  );
}

function levelOf(level: number): PrivacyLevel {
  if (level <= 0) return 0;
  if (level === 1) return 1;
  return level === 2 ? 2 : 3;
}

/** The module is loaded only when a setting needs it, because it takes memory. */
function blockListOf(ranges: readonly string[]): BlockList {
  const list = new (process.getBuiltinModule('node:net').BlockList)();
  for (const range of ranges) {
    const [address = '', length] = range.split('/');
    const family = address.includes(':') ? 'ipv6' : 'ipv4';
    if (length === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(length), family);
  }
  return list;
}
