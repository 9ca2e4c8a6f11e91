// Upstreams that do what a script says. Questions are kept until the script looks at them; an outcome may
// also be set that every question gets before `forward` returns.

import { ReplyCleaner } from '../../engine/reply/reply-cleaner.ts';
import type { ForwardFailure, ForwardOutcome, Question } from '../../engine/upstream/forwarding.ts';
import type { UpstreamForwarder } from '../../engine/upstream/forwarder.ts';
import type { UpstreamChoice } from '../../engine/upstream/status.ts';

export interface Forwarded {
  readonly question: Question;
  readonly outcome: ForwardOutcome;
}

/** The number of the upstream that answers when a script names none. */
export const usualUpstream = 2;

export class ScriptedForwarder implements UpstreamForwarder {
  /** What was asked and not yet taken by the script. */
  readonly questions: Forwarded[] = [];
  /** What every question gets at once. */
  failsAtOnce: ForwardFailure | undefined;
  inFlight = 0;
  readonly #cleaner = new ReplyCleaner();

  forward(question: Question, outcome: ForwardOutcome): void {
    if (this.failsAtOnce !== undefined) return outcome.onFailure(this.failsAtOnce, -1);
    this.inFlight++;
    this.questions.push({ question, outcome });
  }

  /** A reply that does not pass the check is a failure: there is no other upstream. */
  reply({ question, outcome }: Forwarded, message: Uint8Array, upstream: number = usualUpstream): void {
    this.inFlight--;
    // Off the start of a larger buffer, as it comes from a socket.
    const placed = new Uint8Array(message.length + 12).fill(0xc1);
    placed.set(message, 5);
    const reply = this.#cleaner.clean(placed, 5, message.length, question.name);
    placed.fill(0xee);
    if (this.#cleaner.foreign > 0) outcome.onForeignRecords?.(this.#cleaner.foreign);
    if (reply === undefined) outcome.onFailure('malformed', upstream);
    else outcome.onReply(reply, upstream);
  }

  fail({ outcome }: Forwarded, failure: ForwardFailure): void {
    this.inFlight--;
    outcome.onFailure(failure, usualUpstream);
  }

  readonly setOptions = (): void => undefined;
  readonly tick = (): void => undefined;
  readonly close = (): void => undefined;
  readonly isRouted = (): boolean => false;
  readonly isLoopProbe = (): boolean => false;
  readonly loopAnswer = (): undefined => undefined;
  readonly upstreamText = (): string => 'scripted';
  readonly status = (): [] => [];
  readonly choiceFor = (): UpstreamChoice => ({ isRouted: false, mode: 'strict', upstreams: [] });
}
