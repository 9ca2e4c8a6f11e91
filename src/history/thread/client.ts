// The api thread's end of the port to the history thread. Each question has a time limit. While there is no
// port (before the first question, or while the thread is being replaced) questions wait for one. A question
// to a thread that died is sent once more to the next thread; all questions are idempotent. No promise
// rejects here: the reason for a missing answer is a value.

import type { MessagePort } from 'node:worker_threads';
import {
  cancel,
  type FromHistoryLine,
  type NamedClient,
  type NewQueries,
  maxQuestions,
  type SituationName,
  type ToHistoryLine,
  type SeenResult,
} from './protocol.ts';
import type { SeenClient } from './seen-clients.ts';
import type { HistoryLine } from './history-messages.ts';
import type {
  Answer,
  QuestionInput,
  CallOptions,
  HistoryReader,
  QuestionName,
  QuestionResult,
} from './questions.ts';

export interface HistoryClientParts {
  /** Starts the thread if it is not running. */
  readonly want: () => void;
  /** The clock that all threads share. */
  readonly sharedMs: () => number;
  /** New clients, 16 bytes each; `setClientNames` may send their names back. */
  readonly onClients: (addresses: readonly Uint8Array[]) => void;
  readonly onSituation: (name: SituationName, text: string | undefined) => void;
}

/** A question that ended two threads is not sent a third time. */
const maxTries = 2;
/** Allows for the start of the thread and for earlier questions, on a slow or busy machine. */
const maxTurnMs = 10_000;
const maxSeenMs = 500;
/** Half of the slots, so that a question's slot is free again when its number comes round. */
const maxUnderWay = maxQuestions / 2;
const replaced = 'The history was interrupted and is being started again: try again in a moment.';
const late = 'The history did not answer in time: try again in a moment.';
const busy = 'Too many questions about the history at once: try again in a moment.';
const gone = 'The caller has cancelled the question.';

interface UnderWay {
  /** How often it was sent. */
  tries: number;
  readonly message: ToHistoryLine;
  readonly settle: (answer: Answer<unknown>) => void;
}

export class HistoryClient implements HistoryReader {
  readonly #parts: HistoryClientParts;
  readonly #underWay = new Map<number, UnderWay>();
  readonly #subscribers = new Set<(queries: NewQueries) => void>();
  #port: MessagePort | undefined;
  #cancelled: Int32Array = new Int32Array(maxQuestions);
  #lastNumber = 0;
  /** Up to when queries were delivered to subscribers. */
  #deliveredMs = 0;

  constructor(parts: HistoryClientParts) {
    this.#parts = parts;
  }

  /** Connects to a history thread, the first one or its replacement, and sends the waiting questions. */
  connect({ port, cancelled }: HistoryLine): void {
    this.#drop();
    this.#port = port;
    this.#cancelled = new Int32Array(cancelled);
    port.on('message', (message: FromHistoryLine) => this.#receive(message));
    port.on('close', () => port === this.#port && this.#drop());
    port.unref();
    if (this.#subscribers.size > 0) this.#subscribe(true);
    for (const waiting of this.#underWay.values()) this.#post(waiting, port);
  }

  async query<N extends QuestionName>(
    name: N,
    question: QuestionInput<N>,
    { limitMs, signal }: CallOptions,
  ): Promise<Answer<QuestionResult<N>>> {
    const make = (number: number): ToHistoryLine => ({ kind: 'ask', number, name, question, limitMs });
    const answer = await this.#send(make, limitMs + maxTurnMs, signal);
    // The thread answers each question with the type that belongs to its name.
    return answer as Answer<QuestionResult<N>>;
  }

  /** Recent clients, the newest first; none when the history does not answer. */
  async seen(): Promise<readonly SeenClient[]> {
    const answer = await this.#send((number) => ({ kind: 'seen', number }), maxSeenMs, undefined);
    // The answer to this message has this type.
    return answer.ok ? (answer.value as SeenResult) : [];
  }

  /** Calls the listener with new queries each second; returns the function that ends it. */
  subscribeToQueries(listener: (queries: NewQueries) => void): () => void {
    const own = (queries: NewQueries): void => listener(queries);
    if (this.#subscribers.size === 0) this.#deliveredMs = this.#parts.sharedMs();
    this.#subscribers.add(own);
    if (this.#subscribers.size === 1) this.#subscribe(true);
    if (this.#port === undefined) this.#parts.want();
    return () => {
      if (this.#subscribers.delete(own) && this.#subscribers.size === 0) this.#subscribe(false);
    };
  }

  /** Names of clients, for those that the history has seen. */
  setClientNames(names: readonly NamedClient[]): void {
    if (names.length > 0) this.#port?.postMessage({ kind: 'names', names } satisfies ToHistoryLine);
  }

  close(): void {
    this.#drop();
    for (const { settle } of this.#underWay.values()) settle({ ok: false, problem: replaced });
  }

  #subscribe(isWanted: boolean): void {
    const message: ToHistoryLine = { kind: 'subscribe', isWanted, sinceMs: this.#deliveredMs };
    this.#port?.postMessage(message);
  }

  #send(
    make: (number: number) => ToHistoryLine,
    maxMs: number,
    signal: AbortSignal | undefined,
  ): Promise<Answer<unknown>> {
    if (signal?.aborted === true) return Promise.resolve({ ok: false, problem: gone });
    if (this.#underWay.size >= maxUnderWay) return Promise.resolve({ ok: false, problem: busy });
    const number = this.#nextNumber();
    const message = make(number);
    const { promise, resolve } = Promise.withResolvers<Answer<unknown>>();
    const giveUp = (problem: string): void => {
      cancel(this.#cancelled, number);
      settle({ ok: false, problem });
    };
    const onAbort = (): void => giveUp(gone);
    const timer = setTimeout(() => giveUp(late), maxMs);
    const settle = (answer: Answer<unknown>): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      this.#underWay.delete(number);
      resolve(answer);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    const waiting: UnderWay = { tries: 0, message, settle };
    this.#underWay.set(number, waiting);
    if (this.#port === undefined) this.#parts.want();
    else this.#post(waiting, this.#port);
    return promise;
  }

  #post(waiting: UnderWay, port: MessagePort): void {
    waiting.tries++;
    port.postMessage(waiting.message);
  }

  /** A number whose slot is free. */
  #nextNumber(): number {
    const places = new Set([...this.#underWay.keys()].map((number) => number % maxQuestions));
    do this.#lastNumber = (this.#lastNumber % 0x3fffffff) + 1;
    while (places.has(this.#lastNumber % maxQuestions));
    return this.#lastNumber;
  }

  #receive(message: FromHistoryLine): void {
    switch (message.kind) {
      case 'answer':
        return this.#underWay.get(message.number)?.settle(message.answer);
      case 'queries':
        this.#deliveredMs = this.#parts.sharedMs();
        for (const listener of this.#subscribers) listener(message.queries);
        return undefined;
      case 'clients':
        return this.#parts.onClients(message.addresses);
      case 'situation':
        return this.#parts.onSituation(message.name, message.text);
    }
  }

  /** The questions that were sent wait for the next port. */
  #drop(): void {
    const port = this.#port;
    if (port === undefined) return;
    this.#port = undefined;
    port.close();
    for (const { tries, settle } of this.#underWay.values())
      if (tries >= maxTries) settle({ ok: false, problem: replaced });
  }
}
