// The upstream side of the engine put together: options become groups and routes, questions become exchanges,
// and upstreams are maintained at intervals (probes, idle sockets, loop checks, notices).

import type { Outgoing } from '../net/outgoing.ts';
import type { OpenUdpChannel } from '../net/udp-channel.ts';
import { Bootstrap } from './bootstrap.ts';
import { Maintenance } from './maintenance.ts';
import { Group, inOrder } from './choose.ts';
import { Connections } from './connections.ts';
import { defaultTimeouts, Exchanges } from './exchanges.ts';
import type { ForwardOutcome, Forwarder, Question } from './forwarding.ts';
import { isLoopProbe } from './loop-check.ts';
import { defaultOptions, type ForwarderOptions } from './options.ts';
import { Plan } from './plan.ts';
import { type FillRandom, RandomBits } from './random-bits.ts';
import { Registry } from './registry.ts';
import { Replies } from './replies.ts';
import { statusOf, type UpstreamChoice, type UpstreamStatus } from './status.ts';
import { Class } from '#wire';

/** Four upstreams with all the ports that one can have. */
export const portsUsual = 1024;

export interface ForwarderParts {
  readonly openUdp: OpenUdpChannel;
  /** Flushed by the forwarder at the end of each wake-up of its own, of `tick` and of `setOptions`. */
  readonly outgoing: Outgoing;
  /** Steady: never set back. */
  readonly nowMs: () => number;
  readonly random: FillRandom;
  /** UDP sockets that all upstreams together may have open, give or take a few for each. */
  readonly maxPorts?: number | undefined;
  /** A message for people: what happened, and what to do. */
  readonly notice: (text: string) => void;
  /** The health of an upstream changed. */
  readonly onChange?: (() => void) | undefined;
}

export interface UpstreamForwarder extends Forwarder {
  /** Applies to questions from now on; those in flight go on, and upstreams that stay keep all they have. */
  setOptions(options: ForwarderOptions): void;
  /** Whether the name has upstreams of its own (a route or conditional forwarding). */
  isRouted(name: Uint8Array): boolean;
  /** Whether a lower-cased name is a loop probe, of ours or of another server. */
  isLoopProbe(name: Uint8Array, nameLength: number): boolean;
  /**
   * A loop probe was asked of us. The text to answer with (TXT) when it is our own, and the upstream is not
   * used from then on; undefined when it is another server's, and is to be forwarded like any name.
   */
  loopAnswer(name: Uint8Array): string | undefined;
  upstreamText(index: number): string;
  status(): readonly UpstreamStatus[];
  /** Which upstreams would be asked for a name now. */
  choiceFor(name: Uint8Array): UpstreamChoice;
}

export function createForwarder(options: ForwarderOptions, parts: ForwarderParts): UpstreamForwarder {
  return new AllUpstreams(options, parts);
}

class AllUpstreams implements UpstreamForwarder {
  readonly #parts: ForwarderParts;
  readonly #exchanges = new Exchanges();
  readonly #connections: Connections;
  readonly #bootstrap: Bootstrap;
  readonly #registry: Registry;
  readonly #maintenance: Maintenance;
  #plan: Plan;
  #maxInFlight = 0;
  #mixesCase = true;

  constructor(options: ForwarderOptions, parts: ForwarderParts) {
    this.#parts = parts;
    const { openUdp, outgoing, nowMs } = parts;
    const { onReply, onBroken } = new Replies(this.#exchanges, nowMs);
    const onBatchEnd = (): void => outgoing.flushAll();
    const random = new RandomBits(parts.random);
    this.#connections = new Connections({ outgoing, random, nowMs, onReply, onBroken, onBatchEnd });
    this.#bootstrap = new Bootstrap(
      (name, type, outcome) => this.#queryForItself(this.#plan.bootstrap, name, type, outcome),
      (host, address) => this.#setAddress(host, address),
      nowMs,
    );
    this.#registry = new Registry({
      openUdp,
      outgoing,
      random,
      onReply,
      onBroken,
      onBatchEnd,
      openConnection: this.#connections.open,
      names: this.#bootstrap,
      mixesCase: () => this.#mixesCase,
      ports: { open: 0, most: parts.maxPorts ?? portsUsual },
    });
    this.#maintenance = new Maintenance({
      query: (upstream, name, type, outcome) =>
        this.#queryForItself(new Group('strict', [upstream], [], true), name, type, outcome),
      notice: parts.notice,
      onChange: () => parts.onChange?.(),
    });
    this.#plan = new Plan(defaultOptions, this.#registry, parts.notice);
    this.setOptions(options);
  }

  setOptions(options: ForwarderOptions): void {
    this.#exchanges.timeouts = options.timeouts ?? defaultTimeouts;
    this.#maxInFlight = options.maxInFlight;
    this.#mixesCase = options.mixedCase;
    this.#connections.setAuthorities(options.authorities ?? []);
    this.#registry.unwantAll(this.#parts.nowMs());
    this.#plan = new Plan(options, this.#registry, this.#parts.notice);
    this.#bootstrap.keepOnly(this.#plan.hosts);
    this.#bootstrap.retry();
    this.#maintenance.setOptions(options.loopKey, this.#plan.used);
    this.#maintain(this.#parts.nowMs());
    this.#parts.outgoing.flushAll();
  }

  forward(question: Question, outcome: ForwardOutcome): void {
    if (this.#exchanges.questions >= this.#maxInFlight) return outcome.onFailure('busy', -1);
    const group = this.#plan.groupOf(question.name);
    this.#exchanges.start(group, question, outcome, true, this.#parts.nowMs());
  }

  tick(nowMs: number): void {
    this.#exchanges.tick(nowMs);
    if (this.#maintenance.isDue(nowMs)) this.#maintain(nowMs);
    this.#parts.outgoing.flushAll();
  }

  get inFlight(): number {
    return this.#exchanges.inFlight;
  }

  isRouted(name: Uint8Array): boolean {
    return this.#plan.isRouted(name);
  }

  isLoopProbe(name: Uint8Array, nameLength: number): boolean {
    return isLoopProbe(name, nameLength);
  }

  loopAnswer(name: Uint8Array): string | undefined {
    return this.#maintenance.loopAnswer(name);
  }

  upstreamText(index: number): string {
    return this.#registry.textOf(index);
  }

  status(): readonly UpstreamStatus[] {
    return this.#plan.used.map(statusOf);
  }

  choiceFor(name: Uint8Array): UpstreamChoice {
    const group = this.#plan.groupOf(name);
    return { isRouted: group !== this.#plan.main, mode: group.mode, upstreams: inOrder(group).map(statusOf) };
  }

  close(): void {
    this.#exchanges.close();
    this.#registry.close();
  }

  #maintain(nowMs: number): void {
    this.#registry.tick(nowMs);
    this.#maintenance.tick(nowMs);
  }

  #queryForItself(group: Group, name: Uint8Array, type: number, outcome: ForwardOutcome): void {
    const question = { name, type, class: Class.IN, dnssecOk: false, checkingDisabled: false };
    this.#exchanges.start(group, question, outcome, false, this.#parts.nowMs());
  }

  #setAddress(host: string, address: string | undefined): void {
    const nowMs = this.#parts.nowMs();
    for (const upstream of this.#registry.all()) {
      if (upstream.address.host === host) upstream.setAddress(address, nowMs);
    }
  }
}
