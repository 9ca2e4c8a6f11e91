// Starts the threads that try policies out: short-lived, because what they need (compiled lists, automata,
// names) is as large as a dns worker. Each asks the history through here, and is ended when its time is up or
// nobody waits for it any more.

import { Worker } from 'node:worker_threads';
import type { HistoryReader } from '#history/thread';
import type {
  FromSimulate,
  Refused,
  SimulateJob,
  SimulateReplies,
  SimulateReply,
  SimulateThreadData,
  ToSimulate,
} from './job.ts';

export interface SimulateThreadsOptions {
  readonly entry: URL;
  readonly compileCacheDir: string | undefined;
  readonly history: HistoryReader;
}

export interface RunOptions {
  /** After that the thread is ended, whatever it does. */
  readonly maxMs: number;
  /** Nobody waits any more. */
  readonly signal?: AbortSignal | undefined;
}

const youngGenerationMb = 32;
const oldGenerationMb = 512;

export class SimulateThreads {
  readonly #options: SimulateThreadsOptions;

  constructor(options: SimulateThreadsOptions) {
    this.#options = options;
  }

  /** Never rejects. */
  async run<K extends SimulateJob['kind']>(
    job: Extract<SimulateJob, { kind: K }>,
    options: RunOptions,
  ): Promise<SimulateReplies[K]> {
    const reply = await this.#run(job, options);
    // The thread answers each kind of job with its own kind of reply.
    return reply as SimulateReplies[K];
  }

  #run(job: SimulateJob, { maxMs, signal }: RunOptions): Promise<SimulateReply> {
    const { entry, compileCacheDir } = this.#options;
    const { promise, resolve } = Promise.withResolvers<SimulateReply>();
    const worker = startWorker(entry, { job, compileCacheDir });
    if ('problem' in worker) return Promise.resolve(worker);
    const leaving = new AbortController();
    const end = (): void => void worker.terminate();
    const tooLong = setTimeout(end, maxMs).unref();
    signal?.addEventListener('abort', end, { once: true });
    let problem = `The simulation did not finish within ${maxMs / 1000} s, or was ended.`;
    worker.on('message', (message: FromSimulate) => {
      if (message.kind === 'done') resolve(message.reply);
      else void this.#ask(worker, message, leaving.signal);
    });
    worker.on('error', (error) => (problem = `The simulation failed: ${String(error)}.`));
    worker.on('exit', () => {
      clearTimeout(tooLong);
      signal?.removeEventListener('abort', end);
      leaving.abort();
      resolve({ problem });
    });
    if (signal?.aborted === true) end();
    return promise;
  }

  async #ask(
    worker: Worker,
    { number, name, question, limitMs }: Extract<FromSimulate, { kind: 'ask' }>,
    signal: AbortSignal,
  ): Promise<void> {
    // The thread puts names and questions together as the reader's types do.
    const answer = await this.#options.history.ask(name, question as never, { limitMs, signal });
    if (signal.aborted) return;
    worker.postMessage({ number, answer } satisfies ToSimulate, buffersOf(answer.ok ? answer.value : {}));
  }
}

/** Columns are handed on, not copied. */
const buffersOf = (told: object | undefined): ArrayBuffer[] =>
  Object.values(told ?? {}).flatMap((value) =>
    ArrayBuffer.isView(value) && value.buffer instanceof ArrayBuffer ? [value.buffer] : [],
  );

/** Or why the machine does not give another thread. */
function startWorker(entry: URL, workerData: SimulateThreadData): Worker | Refused {
  const resourceLimits = {
    maxYoungGenerationSizeMb: youngGenerationMb,
    maxOldGenerationSizeMb: oldGenerationMb,
  };
  try {
    return new Worker(entry, { name: 'simulate', workerData, resourceLimits });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { problem: `The thread for the simulation cannot be started: ${reason}.` };
  }
}
