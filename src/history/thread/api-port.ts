// The history thread's end of the port to the api thread. Questions wait in a queue (also until the history
// is open) and are answered one by one, each within its time limit. While it works on one, records are still
// read from the rings.

import type { MessagePort } from 'node:worker_threads';
import type { BudgetOptions } from '../segments/budget.ts';
import type { HistoryLine } from './history-messages.ts';
import type { HistoryKeeper } from './keeper.ts';
import { isCancelled, type FromHistoryLine, type SituationName, type ToHistoryLine } from './protocol.ts';
import type { Answer, QuestionInput, QuestionName } from './questions.ts';
import { Newcomers } from './newcomers.ts';
import { NewestQueries } from './newest-queries.ts';
import { errorText } from '#platform/tasks';

export interface ApiPortParts {
  readonly keeper: HistoryKeeper;
  readonly wallMs: () => number;
  /** The clock that all threads share. */
  readonly sharedMs: () => number;
  /** Called while a question is worked on, with the time spent so far. */
  readonly between: (workedMs: number) => void;
  readonly notice: (level: 'error', text: string) => void;
}

type Question = Extract<ToHistoryLine, { readonly kind: 'ask' }>;

const gone = 'The caller has cancelled the question.';

export class ApiPort {
  readonly #parts: ApiPortParts;
  readonly #port: MessagePort;
  readonly #cancelled: Int32Array;
  /** They wait until the history is open; the api thread limits how many it sends. */
  #waiting: Question[] = [];
  #subscription: NewestQueries | undefined;
  readonly #newcomers: Newcomers;
  /** How many records had been read when newcomers were last collected. */
  #reportedAt = -1;

  constructor({ port, cancelled }: HistoryLine, parts: ApiPortParts) {
    this.#parts = parts;
    this.#port = port;
    this.#cancelled = new Int32Array(cancelled);
    this.#newcomers = new Newcomers(parts.keeper.seen);
    port.on('message', (message: ToHistoryLine) => this.#receive(message));
    for (const [name, text] of parts.keeper.situations) this.sendSituation(name, text);
  }

  sendSituation(name: SituationName, text: string | undefined): void {
    this.#send({ kind: 'situation', name, text });
  }

  /** Call it when records were read or time has passed. */
  poll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const question of waiting) this.#answer(question);
    const queries = this.#subscription?.nextBatch();
    if (queries !== undefined) this.#send({ kind: 'queries', queries });
    this.#sendNewcomers();
  }

  #sendNewcomers(): void {
    const { keeper, wallMs } = this.#parts;
    if (keeper.taken === this.#reportedAt) return;
    this.#reportedAt = keeper.taken;
    const addresses = this.#newcomers.collect(wallMs());
    if (addresses.length > 0) this.#send({ kind: 'clients', addresses });
  }

  close(): void {
    this.#port.close();
  }

  #send(message: FromHistoryLine): void {
    this.#port.postMessage(message);
  }

  #receive(message: ToHistoryLine): void {
    const { keeper } = this.#parts;
    keeper.catchUp();
    switch (message.kind) {
      case 'ask':
        return this.#answer(message);
      case 'seen':
        return this.#sendAnswer(message.number, { ok: true, value: keeper.seen.list() });
      case 'subscribe':
        this.#subscription = message.isWanted ? this.#newestSince(message.sinceMs) : undefined;
        return undefined;
      case 'names':
        for (const { address, name } of message.names) keeper.store?.nameClient(address, name);
        return undefined;
    }
  }

  #newestSince(sinceMs: number): NewestQueries {
    const { keeper, sharedMs, wallMs } = this.#parts;
    return new NewestQueries({ keeper, clockMs: sharedMs, sinceMs: wallMs() - (sharedMs() - sinceMs) });
  }

  #sendAnswer(number: number, answer: Answer<unknown>): void {
    this.#send({ kind: 'answer', number, answer });
  }

  #answer(question: Question): void {
    const { number } = question;
    const { keeper } = this.#parts;
    if (isCancelled(this.#cancelled, number)) return this.#sendAnswer(number, { ok: false, problem: gone });
    if (keeper.answerer !== undefined) return this.#sendAnswer(number, this.#work(question));
    const problem = keeper.situations.get('disk');
    if (problem !== undefined) return this.#sendAnswer(number, { ok: false, problem });
    this.#waiting.push(question);
    return undefined;
  }

  #work({ number, name, question, limitMs }: Question): Answer<unknown> {
    const { keeper, sharedMs, wallMs, between } = this.#parts;
    const startedMs = sharedMs();
    const budget: BudgetOptions = {
      // The remaining time, for an answer of several parts.
      get limitMs() {
        return Math.max(startedMs + limitMs - sharedMs(), 0);
      },
      clockMs: sharedMs,
      isCancelled: () => isCancelled(this.#cancelled, number),
      between: () => between(sharedMs() - startedMs),
    };
    try {
      // The caller's types pair name and question.
      const input = question as QuestionInput<QuestionName>;
      return { ok: true, value: keeper.answerer?.answer(name, input, wallMs(), budget) };
    } catch (error) {
      const reason = errorText(error);
      this.#parts.notice('error', `The history could not answer (${name}): ${reasonWithStack(error)}`);
      return { ok: false, problem: `The history could not answer: ${reason}` };
    }
  }
}

function reasonWithStack(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
