// Maintenance of upstreams: those that do not reply are probed until they do, each is checked for a loop, and
// a notice says when one fails, recovers or leads back to this server.

import { Type } from '#wire';
import type { ForwardOutcome } from './forwarding.ts';
import { Rank } from './health.ts';
import { loopProbeName, loopToken, repliesToken, tokenOf } from './loop-check.ts';
import type { Upstream } from './upstream.ts';

const maintenanceEveryMs = 100;
const loopCheckEveryMs = 600_000;
/** For one that is a loop: the user may be correcting the settings. */
const loopRecheckMs = 30_000;
const reportEveryMs = 60_000;
const root = new Uint8Array(1);

export interface MaintenanceParts {
  /** Asks this one upstream, whatever is known of it. */
  readonly query: (upstream: Upstream, name: Uint8Array, type: number, outcome: ForwardOutcome) => void;
  readonly notice: (text: string) => void;
  readonly onChange: () => void;
}

export class Maintenance {
  readonly #parts: MaintenanceParts;
  readonly #byToken = new Map<string, Upstream>();
  #upstreams: readonly Upstream[] = [];
  #loopKey = '';
  #dueAtMs = -Infinity;

  constructor(parts: MaintenanceParts) {
    this.#parts = parts;
  }

  setOptions(loopKey: string, upstreams: readonly Upstream[]): void {
    this.#loopKey = loopKey;
    this.#upstreams = upstreams;
    this.#byToken.clear();
    for (const upstream of upstreams) {
      this.#byToken.set(loopToken(loopKey, upstream.text), upstream);
      upstream.loopCheckAtMs = -Infinity;
    }
  }

  isDue(nowMs: number): boolean {
    return nowMs >= this.#dueAtMs;
  }

  tick(nowMs: number): void {
    this.#dueAtMs = nowMs + maintenanceEveryMs;
    for (const upstream of this.#upstreams) {
      this.#checkHealth(upstream, nowMs);
      if (upstream.health.claimProbe(nowMs)) this.#parts.query(upstream, root, Type.NS, ignoreOutcome);
      if (nowMs >= upstream.loopCheckAtMs) this.#checkLoop(upstream, nowMs);
    }
  }

  loopAnswer(name: Uint8Array): string | undefined {
    const token = tokenOf(name);
    const upstream = this.#byToken.get(token);
    if (upstream === undefined) return undefined;
    this.#setLoop(upstream, true);
    return token;
  }

  #checkHealth(upstream: Upstream, nowMs: number): void {
    if (upstream.checkDown(nowMs)) {
      this.#reportDown(upstream, nowMs);
      this.#parts.onChange();
    } else if (upstream.isReported && upstream.health.rank === Rank.healthy) {
      upstream.isReported = false;
      this.#parts.notice(`The upstream ${upstream.text} answers again and is used as before.`);
      this.#parts.onChange();
    }
  }

  /** At most one notice a minute about an upstream that fails again and again. */
  #reportDown(upstream: Upstream, nowMs: number): void {
    if (nowMs - upstream.reportedAtMs < reportEveryMs) return;
    upstream.reportedAtMs = nowMs;
    upstream.isReported = true;
    const reason = upstream.lastError === '' ? '' : ` (${upstream.lastError})`;
    this.#parts.notice(
      `The upstream ${upstream.text} does not answer${reason}. Others are asked in its place where there ` +
        'are any, and it is used again once it answers. Check that it runs and can be reached from here.',
    );
  }

  #checkLoop(upstream: Upstream, nowMs: number): void {
    upstream.loopCheckAtMs = nowMs + (upstream.isLoop ? loopRecheckMs : loopCheckEveryMs);
    const token = loopToken(this.#loopKey, upstream.text);
    this.#parts.query(upstream, loopProbeName(token), Type.TXT, {
      onReply: ({ bytes, length }) => this.#setLoop(upstream, repliesToken(bytes, 0, length, token)),
      onFailure: () => undefined,
    });
  }

  #setLoop(upstream: Upstream, isLoop: boolean): void {
    if (upstream.isLoop === isLoop) return;
    upstream.isLoop = isLoop;
    upstream.loopCheckAtMs = Math.min(upstream.loopCheckAtMs, this.#dueAtMs + loopRecheckMs);
    this.#parts.notice(
      isLoop ? loopNotice(upstream.text) : `The upstream ${upstream.text} is no loop any more.`,
    );
    this.#parts.onChange();
  }
}

function loopNotice(text: string): string {
  return (
    `The upstream ${text} sends our own questions back to this server: a loop. It is not used. Set another ` +
    'upstream, or let that server ask someone else than this one.'
  );
}

const ignoreOutcome: ForwardOutcome = { onReply: () => undefined, onFailure: () => undefined };
