// The history as the api thread reaches it: questions go over the line to its thread and wait for their
// answer, within their time. While there is no line (nobody has asked anything yet, or the thread is being
// replaced) questions wait for one; what was asked of a thread that died is asked once more of the next one,
// for all questions may be asked twice. Nothing here ever rejects: why there is no answer is said to the
// caller.

import type { MessagePort } from 'node:worker_threads';
import {
  cancel,
  type FromHistoryLine,
  type NamedClient,
  type NewQueries,
  questionsMax,
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
  /** The thread is started when somebody wants something of it. */
  readonly want: () => void;
  /** The one that all threads share. */
  readonly sharedMs: () => number;
  /** These have asked, each 16 bytes; `tellNames` may say what they are called. */
  readonly onClients: (addresses: readonly Uint8Array[]) => void;
  readonly onSituation: (name: SituationName, text: string | undefined) => void;
}

/** A question that two threads died of is not asked a third time. */
const triesMax = 2;
/** For the start of the thread and the questions before this one, on a slow or busy machine. */
const turnMaxMs = 10_000;
const seenMaxMs = 500;
/** Half of the places, so that a question's place is free again when its number comes round. */
const underWayMax = questionsMax / 2;
const replaced = 'The history was interrupted and is being started again: try again in a moment.';
const late = 'The history did not answer in time: try again in a moment.';
const busy = 'Too many questions about the history at once: try again in a moment.';
const gone = 'Nobody waits for the answer any more.';

interface UnderWay {
  /** How often it was sent. */
  tries: number;
  readonly message: ToHistoryLine;
  readonly settle: (answer: Answer<unknown>) => void;
}

export class HistoryClient implements HistoryReader {
  readonly #parts: HistoryClientParts;
  readonly #underWay = new Map<number, UnderWay>();
  readonly #followers = new Set<(queries: NewQueries) => void>();
  #port: MessagePort | undefined;
  #cancelled: Int32Array = new Int32Array(questionsMax);
  #lastNumber = 0;
  /** Up to when queries were told to those who follow them. */
  #followedMs = 0;

  constructor(parts: HistoryClientParts) {
    this.#parts = parts;
  }

  /** A history thread is there, another one than before or not; what waits is asked now. */
  connect({ port, cancelled }: HistoryLine): void {
    this.#drop();
    this.#port = port;
    this.#cancelled = new Int32Array(cancelled);
    port.on('message', (message: FromHistoryLine) => this.#hear(message));
    port.on('close', () => port === this.#port && this.#drop());
    port.unref();
    if (this.#followers.size > 0) this.#follow(true);
    for (const waiting of this.#underWay.values()) this.#post(waiting, port);
  }

  async ask<N extends QuestionName>(
    name: N,
    question: QuestionInput<N>,
    { limitMs, signal }: CallOptions,
  ): Promise<Answer<QuestionResult<N>>> {
    const make = (number: number): ToHistoryLine => ({ kind: 'ask', number, name, question, limitMs });
    const answer = await this.#send(make, limitMs + turnMaxMs, signal);
    // The thread answers each question with what belongs to its name.
    return answer as Answer<QuestionResult<N>>;
  }

  /** Who has asked lately, the newest first; nobody when the history cannot tell. */
  async seen(): Promise<readonly SeenClient[]> {
    const answer = await this.#send((number) => ({ kind: 'seen', number }), seenMaxMs, undefined);
    // The answer to this message is just that.
    return answer.ok ? (answer.value as SeenResult) : [];
  }

  /** Tells new queries each second until the way to end it is used. */
  followQueries(listener: (queries: NewQueries) => void): () => void {
    const own = (queries: NewQueries): void => listener(queries);
    if (this.#followers.size === 0) this.#followedMs = this.#parts.sharedMs();
    this.#followers.add(own);
    if (this.#followers.size === 1) this.#follow(true);
    if (this.#port === undefined) this.#parts.want();
    return () => {
      if (this.#followers.delete(own) && this.#followers.size === 0) this.#follow(false);
    };
  }

  /** What clients are called, as far as the history has seen them. */
  tellNames(names: readonly NamedClient[]): void {
    if (names.length > 0) this.#port?.postMessage({ kind: 'names', names } satisfies ToHistoryLine);
  }

  close(): void {
    this.#drop();
    for (const { settle } of this.#underWay.values()) settle({ ok: false, problem: replaced });
  }

  #follow(isWanted: boolean): void {
    const message: ToHistoryLine = { kind: 'follow', isWanted, sinceMs: this.#followedMs };
    this.#port?.postMessage(message);
  }

  #send(
    make: (number: number) => ToHistoryLine,
    maxMs: number,
    signal: AbortSignal | undefined,
  ): Promise<Answer<unknown>> {
    if (signal?.aborted === true) return Promise.resolve({ ok: false, problem: gone });
    if (this.#underWay.size >= underWayMax) return Promise.resolve({ ok: false, problem: busy });
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

  /** One whose place nobody uses. */
  #nextNumber(): number {
    const places = new Set([...this.#underWay.keys()].map((number) => number % questionsMax));
    do this.#lastNumber = (this.#lastNumber % 0x3fffffff) + 1;
    while (places.has(this.#lastNumber % questionsMax));
    return this.#lastNumber;
  }

  #hear(message: FromHistoryLine): void {
    switch (message.kind) {
      case 'told':
        return this.#underWay.get(message.number)?.settle(message.answer);
      case 'queries':
        this.#followedMs = this.#parts.sharedMs();
        for (const listener of this.#followers) listener(message.queries);
        return undefined;
      case 'clients':
        return this.#parts.onClients(message.addresses);
      case 'situation':
        return this.#parts.onSituation(message.name, message.text);
    }
  }

  /** What was sent waits for the next line. */
  #drop(): void {
    const port = this.#port;
    if (port === undefined) return;
    this.#port = undefined;
    port.close();
    for (const { tries, settle } of this.#underWay.values())
      if (tries >= triesMax) settle({ ok: false, problem: replaced });
  }
}
