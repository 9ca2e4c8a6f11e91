// The history thread's end of the line to the api thread: questions come in and wait their turn (also until
// the history is open), answers go out, each question within its time. While it works on one, records are
// taken off the rings all the same.

import type { MessagePort } from 'node:worker_threads';
import type { BudgetOptions } from '../segments/budget.ts';
import type { HistoryLine } from './history-messages.ts';
import type { HistoryKeeper } from './keeper.ts';
import { isCancelled, type FromHistoryLine, type SituationName, type ToHistoryLine } from './protocol.ts';
import type { Answer, QuestionInput, QuestionName } from './questions.ts';
import { Newcomers } from './newcomers.ts';
import { NewestQueries } from './newest-queries.ts';

export interface LineParts {
  readonly keeper: HistoryKeeper;
  readonly wallMs: () => number;
  /** The one that all threads share. */
  readonly sharedMs: () => number;
  /** Called while a question is worked on, with how long that has taken. */
  readonly between: (workedMs: number) => void;
  readonly notice: (level: 'error', text: string) => void;
}

type Question = Extract<ToHistoryLine, { readonly kind: 'ask' }>;

const gone = 'Nobody waits for the answer any more.';

export class ServedLine {
  readonly #parts: LineParts;
  readonly #port: MessagePort;
  readonly #cancelled: Int32Array;
  /** They wait until the history is open; the asker has not more than so many under way. */
  #waiting: Question[] = [];
  #following: NewestQueries | undefined;
  readonly #newcomers: Newcomers;
  /** How many records had been taken when newcomers were looked for last. */
  #lookedAt = -1;

  constructor({ port, cancelled }: HistoryLine, parts: LineParts) {
    this.#parts = parts;
    this.#port = port;
    this.#cancelled = new Int32Array(cancelled);
    this.#newcomers = new Newcomers(parts.keeper.seen);
    port.on('message', (message: ToHistoryLine) => this.#hear(message));
    for (const [name, text] of parts.keeper.situations) this.tellSituation(name, text);
  }

  tellSituation(name: SituationName, text: string | undefined): void {
    this.#send({ kind: 'situation', name, text });
  }

  /** Records were taken, or time has passed. */
  look(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const question of waiting) this.#answer(question);
    const queries = this.#following?.take();
    if (queries !== undefined) this.#send({ kind: 'queries', queries });
    this.#tellNewcomers();
  }

  #tellNewcomers(): void {
    const { keeper, wallMs } = this.#parts;
    if (keeper.taken === this.#lookedAt) return;
    this.#lookedAt = keeper.taken;
    const addresses = this.#newcomers.take(wallMs());
    if (addresses.length > 0) this.#send({ kind: 'clients', addresses });
  }

  close(): void {
    this.#port.close();
  }

  #send(message: FromHistoryLine): void {
    this.#port.postMessage(message);
  }

  #hear(message: ToHistoryLine): void {
    const { keeper } = this.#parts;
    keeper.catchUp();
    switch (message.kind) {
      case 'ask':
        return this.#answer(message);
      case 'seen':
        return this.#tell(message.number, { ok: true, value: keeper.seen.list() });
      case 'follow':
        this.#following = message.isWanted ? this.#newestSince(message.sinceMs) : undefined;
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

  #tell(number: number, answer: Answer<unknown>): void {
    this.#send({ kind: 'told', number, answer });
  }

  #answer(question: Question): void {
    const { number } = question;
    const { keeper } = this.#parts;
    if (isCancelled(this.#cancelled, number)) return this.#tell(number, { ok: false, problem: gone });
    if (keeper.answerer !== undefined) return this.#tell(number, this.#work(question));
    const problem = keeper.situations.get('disk');
    if (problem !== undefined) return this.#tell(number, { ok: false, problem });
    this.#waiting.push(question);
    return undefined;
  }

  #work({ number, name, question, limitMs }: Question): Answer<unknown> {
    const { keeper, sharedMs, wallMs, between } = this.#parts;
    const startedMs = sharedMs();
    const budget: BudgetOptions = {
      // What is left of it, for an answer of several parts.
      get limitMs() {
        return Math.max(startedMs + limitMs - sharedMs(), 0);
      },
      clockMs: sharedMs,
      isCancelled: () => isCancelled(this.#cancelled, number),
      between: () => between(sharedMs() - startedMs),
    };
    try {
      // The asker's types put name and question together.
      const asked = question as QuestionInput<QuestionName>;
      return { ok: true, value: keeper.answerer?.answer(name, asked, wallMs(), budget) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#parts.notice('error', `The history could not answer (${name}): ${reasonWithStack(error)}`);
      return { ok: false, problem: `The history could not answer: ${reason}` };
    }
  }
}

function reasonWithStack(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
