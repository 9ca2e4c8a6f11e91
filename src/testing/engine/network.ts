// An engine with a simulated clock, scripted upstreams and a table of rules, and clients that ask it. Nothing
// here knows of scenario files: the longer simulations use it too.

import { ipBytes, MAX_MESSAGE_BYTES } from '#wire';
import { type QuerySource, later, type LocalAddress } from '../../engine/query-source.ts';
import { transports, type Transport, type TransportName } from '../../engine/transport.ts';
import { ClientAddress } from '../../engine/client-address.ts';
import { Engine } from '../../engine/engine.ts';
import { Outgoing } from '../../engine/net/outgoing.ts';
import type { EngineOptions } from '../../engine/options.ts';
import { countersBytes } from '../../engine/record/counters.ts';
import { makeRecordRing, RecordReader } from '../../engine/record/record-ring.ts';
import { ScriptedForwarder } from './scripted-forwarder.ts';
import { TablePolicy } from './table-policy.ts';

export const usualOptions: EngineOptions = {
  access: { open: false, subnets: [] },
  rateLimit: { count: 1000, intervalSeconds: 60, exempt: [], routers: [] },
  strangers: { perSecond: 5, slip: 10 },
  local: {
    records: { hosts: [], cnameRecords: [], ttlSeconds: 300 },
    own: { names: ['sluice.internal', 'pantry'], addresses: ['192.168.1.2', 'fd00::2'] },
    special: { mozillaCanary: true, iCloudPrivateRelay: true, designatedResolver: true },
    routedZones: [],
    routedNetworks: [],
  },
  blocking: { mode: 'NULL', edns: 'TEXT', ttlSeconds: 2, ipv4: '', ipv6: '' },
  cache: { minTtlSeconds: 0, maxTtlSeconds: 86_400, staleSeconds: 3600, prefetch: true },
  rebind: { active: true, exempt: [] },
  chaos: { version: 'sluice 1', texts: { 'api.sluice': ['http://pantry:80/api/'] } },
};

/** One client's query and what came of it. */
export class SentQuery implements QuerySource {
  readonly transport: Transport;
  readonly client = new ClientAddress();
  readonly clientPort = 5353;
  clientName: string | undefined = undefined;
  readonly local: LocalAddress;
  /** undefined: it waits; empty: nothing was sent. */
  answer: Uint8Array | undefined;
  isHeld = false;

  constructor(transport: TransportName, client: string, local: string) {
    this.transport = transports[transport];
    const bytes = ipBytes(client) ?? new Uint8Array(4);
    this.client.readFrom(bytes, 0, bytes.length);
    this.local = { text: local, bytes: ipBytes(local) ?? new Uint8Array(4) };
  }

  hold(): number {
    this.isHeld = true;
    return 77;
  }

  workingOn(): void {}

  deliver(ticket: number, bytes: Uint8Array, start: number, length: number): void {
    if (ticket !== 77 || !this.isHeld) throw new Error('delivered to a ticket that is not held');
    this.isHeld = false;
    this.answer = bytes.slice(start, start + length);
  }
}

const startMs = 1_000_000;
const datagramRoom = 4096;
const place = 9;

export class Network {
  readonly policy = new TablePolicy();
  readonly forwarder = new ScriptedForwarder();
  readonly counters = new SharedArrayBuffer(countersBytes);
  readonly #ring = makeRecordRing(1 << 16);
  readonly records = new RecordReader(this.#ring);
  readonly #out = new Uint8Array(MAX_MESSAGE_BYTES + 2 * place);
  readonly #cacheBytes: number;
  nowMs = startMs;
  wallMs = 1_700_000_000_000;
  engine: Engine;
  options: EngineOptions;

  constructor(options: EngineOptions = usualOptions, cacheBytes = 1 << 20) {
    this.options = options;
    this.#cacheBytes = cacheBytes;
    this.engine = this.#start(0x5eed);
  }

  #start(hashSeed: number): Engine {
    return new Engine(this.options, {
      policy: this.policy,
      forwarder: this.forwarder,
      outgoing: new Outgoing(),
      cacheBytes: this.#cacheBytes,
      hashSeed,
      records: this.#ring,
      counters: this.counters,
      nowMs: () => this.nowMs,
      wallMs: () => this.wallMs,
      onBusy: () => undefined,
    });
  }

  setOptions(options: EngineOptions): void {
    this.options = options;
    this.engine.setOptions(options);
  }

  /** Asks, alone in a batch. The answer is in `ask` when it was known at once. */
  send(ask: SentQuery, query: Uint8Array): void {
    const { engine } = this;
    const incoming = new Uint8Array(query.length + 2 * place).fill(0xc1);
    incoming.set(query, place);
    const out = this.#out;
    const most = ask.transport.isStream ? MAX_MESSAGE_BYTES : datagramRoom;
    out[place - 1] = 0xc1;
    out[place + most] = 0xc1;
    engine.beginBatch();
    const length = engine.answer(ask, incoming, place, query.length, out, place, most);
    if (length !== later) ask.answer = out.slice(place, place + length);
    incoming.fill(0xee);
    engine.endBatch();
    if (length !== later && (out[place - 1] !== 0xc1 || out[place + most] !== 0xc1))
      throw new Error('the engine wrote outside of its buffer');
  }

  passTime(milliseconds: number): void {
    this.nowMs += milliseconds;
    this.wallMs += milliseconds;
    this.engine.tick();
  }

  /** The process ends, another one begins after a while and reads the cache that was saved. */
  restart(awayMs: number): number {
    this.engine.readClocks();
    const saved = this.engine.saveCache();
    this.wallMs += awayMs;
    this.nowMs = 5_000;
    this.engine = this.#start(0xbeef);
    return this.engine.loadCache(saved);
  }
}
