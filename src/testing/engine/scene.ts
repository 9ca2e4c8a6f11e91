// A forwarder on real sockets for tests, with a running clock and queries that return promises.

import { randomFillSync } from 'node:crypto';
import type { TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { nameFromText, rcodeOf, Type } from '#wire';
import { Outgoing } from '../../engine/net/outgoing.ts';
import { openPlainUdpChannel } from '../../engine/net/plain-udp-channel.ts';
import { createForwarder, type UpstreamForwarder } from '../../engine/upstream/forwarder.ts';
import { defaultOptions, type ForwarderOptions } from '../../engine/upstream/options.ts';
import { turnClock } from './clock.ts';
import { type Script, TestServer } from './server.ts';

const tickMs = 5;

export interface QueryOutcome {
  /** '' if there was a reply. */
  readonly failure: string;
  readonly rcode: number;
  readonly reply: Uint8Array;
  /** The upstream that replied; '' without a reply. */
  readonly upstream: string;
  readonly lastAsked: string;
  readonly tookMs: number;
}

const nothing = { rcode: -1, reply: new Uint8Array(0), upstream: '' };

export class Scene {
  readonly forwarder: UpstreamForwarder;
  readonly notices: string[] = [];
  readonly outgoing = new Outgoing();
  #options: ForwarderOptions;
  /** The time that `pass` has added to the clock. */
  #skippedMs = 0;

  constructor(options: Partial<ForwarderOptions>) {
    this.#options = { ...defaultOptions, loopKey: 'test', ...options };
    this.forwarder = createForwarder(this.#options, {
      openUdp: openPlainUdpChannel,
      outgoing: this.outgoing,
      nowMs: () => this.nowMs(),
      random: (bytes) => randomFillSync(bytes),
      notice: (text) => this.notices.push(text),
    });
  }

  nowMs(): number {
    return turnClock.now() + this.#skippedMs;
  }

  /** Advances the clock at once. */
  pass(ms: number): void {
    this.#skippedMs += ms;
    this.forwarder.tick(this.nowMs());
  }

  set(options: Partial<ForwarderOptions>): void {
    this.#options = { ...this.#options, ...options };
    this.forwarder.setOptions(this.#options);
  }

  query(name: string, type: number = Type.A): Promise<QueryOutcome> {
    const startedMs = turnClock.now();
    const took = (): number => turnClock.now() - startedMs;
    const question = {
      name: nameFromText(name) ?? new Uint8Array(1),
      type,
      class: 1,
      dnssecOk: false,
      checkingDisabled: false,
    };
    const asked = new Promise<QueryOutcome>((resolve) => {
      this.forwarder.forward(question, {
        onReply: ({ bytes, length }, upstream) => {
          const reply = bytes.slice(0, length);
          const text = this.forwarder.upstreamText(upstream);
          resolve({
            failure: '',
            rcode: rcodeOf(reply, 0),
            reply,
            upstream: text,
            lastAsked: text,
            tookMs: took(),
          });
        },
        onFailure: (failure, upstream) => {
          const text = this.forwarder.upstreamText(upstream);
          resolve({ ...nothing, failure, lastAsked: text, tookMs: took() });
        },
      });
    });
    this.outgoing.flushAll();
    return asked;
  }

  /** Waits for a condition, at most twenty seconds. */
  async until(what: string, holds: () => boolean): Promise<void> {
    for (let left = 20_000; !holds(); left -= tickMs) {
      if (left <= 0) throw new Error(`timed out waiting for: ${what}`);
      await wait(tickMs);
    }
  }
}

export function startScene(t: TestContext, options: Partial<ForwarderOptions>): Scene {
  const scene = new Scene(options);
  const timer = setInterval(() => scene.forwarder.tick(scene.nowMs()), tickMs);
  t.after(() => {
    clearInterval(timer);
    scene.forwarder.close();
  });
  return scene;
}

export async function startServer(
  t: TestContext,
  script: Script,
  address?: string,
  port?: number,
): Promise<TestServer> {
  const server = await new TestServer(script, address, port).start();
  t.after(() => server.stop());
  return server;
}
