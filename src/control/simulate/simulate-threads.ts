// Starts simulate threads. They are short-lived, because they need as much memory as a dns worker (snapshot,
// automata, names). A thread queries the history through this one, and is terminated on timeout or when the
// caller disconnects.

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
import { errorText } from '#platform/tasks';

export interface SimulateThreadsOptions {
  readonly entry: URL;
  readonly compileCacheDir: string | undefined;
  readonly history: HistoryReader;
}

export interface RunOptions {
  /** Timeout; the thread is terminated. */
  readonly maxMs: number;
  /** Aborted when the caller disconnects. */
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
    const exited = new AbortController();
    const end = (): void => void worker.terminate();
    const timer = setTimeout(end, maxMs).unref();
    signal?.addEventListener('abort', end, { once: true });
    let problem = `The simulation did not finish within ${maxMs / 1000} s, or was ended.`;
    worker.on('message', (message: FromSimulate) => {
      if (message.kind === 'done') resolve(message.reply);
      else void this.#answerQuestion(worker, message, exited.signal);
    });
    worker.on('error', (error) => (problem = `The simulation failed: ${String(error)}.`));
    worker.on('exit', () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      exited.abort();
      resolve({ problem });
    });
    if (signal?.aborted === true) end();
    return promise;
  }

  async #answerQuestion(
    worker: Worker,
    { number, name, question, limitMs }: Extract<FromSimulate, { kind: 'ask' }>,
    signal: AbortSignal,
  ): Promise<void> {
    // The thread pairs names with questions as HistoryReader declares them.
    const answer = await this.#options.history.query(name, question as never, { limitMs, signal });
    if (signal.aborted) return;
    worker.postMessage({ number, answer } satisfies ToSimulate, buffersOf(answer.ok ? answer.value : {}));
  }
}

/** The columns of an answer are transferred, not copied. */
function buffersOf(answer: object | undefined): ArrayBuffer[] {
  return Object.values(answer ?? {}).flatMap((value) =>
    ArrayBuffer.isView(value) && value.buffer instanceof ArrayBuffer ? [value.buffer] : [],
  );
}

/** Returns the reason when the system refuses another thread. */
function startWorker(entry: URL, workerData: SimulateThreadData): Worker | Refused {
  const resourceLimits = {
    maxYoungGenerationSizeMb: youngGenerationMb,
    maxOldGenerationSizeMb: oldGenerationMb,
  };
  try {
    return new Worker(entry, { name: 'simulate', workerData, resourceLimits });
  } catch (error) {
    const reason = errorText(error);
    return { problem: `The thread for the simulation cannot be started: ${reason}.` };
  }
}
