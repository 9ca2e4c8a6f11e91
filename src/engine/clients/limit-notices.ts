// Notices about clients that are over the rate limit: one an hour for each client, and at most one a second,
// so that a flood of queries does not become a flood of notices.

import { addressText } from '#wire';
import type { ClientAddress } from '../client-address.ts';
import type { RateLimitOptions } from './rate-limit.ts';

const again = 3_600_000;
const pauseMs = 1000;
const maxRemembered = 256;

export class LimitNotices {
  readonly #notice: (text: string) => void;
  readonly #noticedMs = new Map<string, number>();
  readonly #bytes = new Uint8Array(16);
  #nextMs = 0;

  constructor(notice: (text: string) => void) {
    this.#notice = notice;
  }

  onRefused(
    client: ClientAddress,
    { count, intervalSeconds, routers }: RateLimitOptions,
    nowMs: number,
  ): void {
    if (nowMs < this.#nextMs) return;
    this.#nextMs = nowMs + pauseMs;
    const text = this.#textOf(client);
    if (nowMs < (this.#noticedMs.get(text) ?? -again) + again) return;
    if (this.#noticedMs.size >= maxRemembered) this.#noticedMs.clear();
    this.#noticedMs.set(text, nowMs);
    const limit = `${count} queries in ${intervalSeconds} s`;
    const what = `Client ${text} asks more than ${limit} and is refused for now.`;
    this.#notice(`${what} ${routers.includes(text) ? routerAdvice : advice}`);
  }

  #textOf(client: ClientAddress): string {
    client.writeTo(this.#bytes, 0);
    return addressText(this.#bytes);
  }
}

const advice = 'If that is usual for it, add it to dns.rateLimit.exempt, or raise dns.rateLimit.count.';
const routerAdvice =
  'It is a router of this network and probably forwards the queries of all devices behind it: let its DHCP ' +
  'server hand out this resolver, so that devices ask it directly and are counted one by one, or add it to ' +
  'dns.rateLimit.exempt.';
