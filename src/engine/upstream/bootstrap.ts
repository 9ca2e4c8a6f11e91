// Addresses of upstreams that are given by name. The bootstrap resolvers are asked for them; they are kept
// for their TTL, renewed in the background before that, and an old address stays in use when no resolver has
// a new one: it probably still works.

import { Class, ipText, nameFromText, RecordCursor, Section, Type } from '#wire';
import type { CleanReply } from '../reply/clean-reply.ts';
import type { ForwardOutcome } from './forwarding.ts';
import type { HostNames } from './upstream-parts.ts';

const minTtlMs = 30_000;
const maxTtlMs = 24 * 3600 * 1000;
const retryMs = 5000;
/** Renewed after this part of the time to live. */
const renewAt = 0.8;
const maxAddresses = 8;

export type QueryBootstrap = (name: Uint8Array, type: number, outcome: ForwardOutcome) => void;
/** Undefined: no resolver knows it. */
export type OnAddress = (host: string, address: string | undefined) => void;

export class Bootstrap implements HostNames {
  readonly #hosts = new Map<string, Host>();
  readonly #query: QueryBootstrap;
  readonly #onAddress: OnAddress;
  readonly #nowMs: () => number;

  constructor(query: QueryBootstrap, onAddress: OnAddress, nowMs: () => number) {
    this.#query = query;
    this.#onAddress = onAddress;
    this.#nowMs = nowMs;
  }

  addressOf(host: string, nowMs: number): string | undefined {
    const entry = this.#entry(host);
    if (entry.pending === 0 && nowMs >= entry.renewAtMs) this.#resolve(entry);
    return entry.addresses[entry.place];
  }

  isResolving(host: string): boolean {
    return (this.#hosts.get(host)?.pending ?? 0) > 0;
  }

  failed(host: string, nowMs: number): void {
    const entry = this.#entry(host);
    if (entry.addresses.length > 1) {
      entry.place = (entry.place + 1) % entry.addresses.length;
      this.#onAddress(host, entry.addresses[entry.place]);
    }
    entry.renewAtMs = Math.min(entry.renewAtMs, nowMs);
  }

  /** The resolvers are others now: what failed before may succeed. */
  retry(): void {
    for (const host of this.#hosts.values()) if (host.addresses.length === 0) host.renewAtMs = -Infinity;
  }

  keepOnly(wanted: ReadonlySet<string>): void {
    for (const host of this.#hosts.keys()) if (!wanted.has(host)) this.#hosts.delete(host);
  }

  #entry(host: string): Host {
    const known = this.#hosts.get(host);
    if (known !== undefined) return known;
    const made = new Host(host);
    this.#hosts.set(host, made);
    return made;
  }

  #resolve(host: Host): void {
    host.pending = 2;
    host.fresh = [];
    host.ttlMs = maxTtlMs;
    host.renewAtMs = Infinity;
    for (const type of [Type.A, Type.AAAA]) {
      this.#query(host.wireName, type, {
        onReply: (reply) => {
          host.read(reply, type);
          this.#part(host);
        },
        onFailure: () => this.#part(host),
      });
    }
  }

  /** One of the two questions is over. IPv4 comes first in the order, whichever was answered first. */
  #part(host: Host): void {
    host.pending -= 1;
    const before = host.addresses[host.place];
    if (host.fresh.length > 0) {
      host.fresh.sort((a, b) => Number(a.includes(':')) - Number(b.includes(':')));
      host.addresses = [...host.fresh];
      host.place = Math.max(0, host.addresses.indexOf(before ?? ''));
    }
    const found = host.fresh.length > 0;
    if (host.pending === 0) {
      const waitMs = found ? Math.max(minTtlMs, host.ttlMs) * renewAt : retryMs;
      host.renewAtMs = this.#nowMs() + waitMs;
    }
    const address = host.addresses[host.place];
    if (address !== undefined || host.pending === 0) this.#onAddress(host.name, address);
  }
}

class Host {
  readonly name: string;
  readonly wireName: Uint8Array;
  addresses: string[] = [];
  place = 0;
  fresh: string[] = [];
  ttlMs = maxTtlMs;
  pending = 0;
  renewAtMs = -Infinity;
  readonly #cursor = new RecordCursor();

  constructor(name: string) {
    this.name = name;
    this.wireName = nameFromText(name.toLowerCase()) ?? new Uint8Array(1);
  }

  /** The addresses at the end of the chain of aliases, which the resolver followed. */
  read({ bytes, length }: CleanReply, type: number): void {
    const cursor = this.#cursor;
    if (!cursor.start(bytes, 0, length)) return;
    while (cursor.next() && cursor.section === Section.answer) {
      if (cursor.class !== Class.IN) continue;
      this.ttlMs = Math.min(this.ttlMs, cursor.ttlSeconds * 1000);
      if (cursor.type !== type || this.fresh.length >= maxAddresses) continue;
      const data = bytes.subarray(cursor.dataAt, cursor.dataAt + cursor.dataLength);
      if (data.length === 4 || data.length === 16) this.fresh.push(ipText(data));
    }
  }
}
