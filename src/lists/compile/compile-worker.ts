// One thread for jobs on the texts of lists, started with its first job and asked one job at a time. It is
// kept for a moment after a small one, for an update that examines twenty lists would otherwise start it, and
// have its code compiled by V8, twenty times. After a large one it ends at once, because what that needed
// (texts, the regular expression engine) would stay in memory otherwise.
//
// Work that nobody waits for begins with time that nobody else wants. On a machine that others keep busy that
// may be none at all: then it is begun anew in a thread that only has a low priority, and so it stays.

import { Worker } from 'node:worker_threads';
import type { SchedulerCalls } from '#platform/sockets';
import type { CompileJob, CompileReplies } from './compile-job.ts';

/** What the thread is given; jobs come as messages. */
export interface CompileThreadData {
  readonly compileCacheDir: string | undefined;
  readonly turn: Turn;
}

/** When the thread gets its time: like all others, after them, or when nobody wants any. */
export type Turn = 'usual' | 'low' | 'idle';

export type JobReply = CompileReplies[CompileJob['kind']];
export type Ended = { readonly ended: string };
/** The thread's number in the kernel, told when it begins. */
type Begun = { readonly thread: number };

export interface CompileWorkerOptions extends CompileThreadData {
  readonly entry: () => URL;
  /** After that a thread is ended, whatever it does. */
  readonly jobMs: number;
  /** How long it may wait for time that nobody wants. */
  readonly patienceMs: number;
  /** Gives the thread its class; without it a low priority is all there is. */
  readonly scheduler: Pick<SchedulerCalls, 'onlyWhenIdle' | 'idleNoMore'> | undefined;
}

const keptMs = 1_000;
const youngGenerationMb = 16;

export class CompileWorker {
  readonly #options: CompileWorkerOptions;
  #turn: Turn;
  #worker: Worker | undefined;
  /** Of those that get only time that nobody wants. */
  #idleThread = 0;
  #rest: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** To whoever waits for the job. */
  #tell: (reply: JobReply | Ended) => void = () => undefined;

  constructor(options: CompileWorkerOptions) {
    this.#options = options;
    this.#turn = options.turn;
  }

  async run(job: CompileJob): Promise<JobReply | Ended> {
    const { jobMs, patienceMs } = this.#options;
    if (this.#turn === 'idle') {
      const reply = await this.#runFor(job, Math.min(patienceMs, jobMs));
      if (reply !== 'late') return reply;
      this.#turn = 'low';
    }
    const reply = await this.#runFor(job, jobMs);
    return reply === 'late' ? tooLong(jobMs) : reply;
  }

  /** For good: a job that is about to be begun anew is not. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end();
  }

  /** Whatever it does. */
  async #end(): Promise<void> {
    clearTimeout(this.#rest);
    const worker = this.#worker;
    this.#worker = undefined;
    // On a busy machine it would have to wait for a moment of rest to end.
    if (this.#idleThread > 0) this.#options.scheduler?.idleNoMore(this.#idleThread);
    this.#idleThread = 0;
    await worker?.terminate();
  }

  async #runFor(job: CompileJob, maxMs: number): Promise<JobReply | Ended | 'late'> {
    clearTimeout(this.#rest);
    if (this.#isClosed) return { ended: 'The service is stopping.' };
    const worker = this.#worker ?? this.#start();
    if (typeof worker === 'string') return { ended: `The compile thread cannot be started: ${worker}.` };
    const reply = await this.#ask(worker, job, maxMs);
    if (job.kind === 'compile' || reply === 'late') await this.#end();
    else this.#rest = setTimeout(() => void this.#end(), keptMs).unref();
    return reply;
  }

  async #ask(worker: Worker, job: CompileJob, maxMs: number): Promise<JobReply | Ended | 'late'> {
    const { promise, resolve } = Promise.withResolvers<JobReply | Ended | 'late'>();
    this.#tell = resolve;
    const late = setTimeout(() => resolve('late'), maxMs).unref();
    worker.ref();
    worker.postMessage(job);
    const reply = await promise;
    clearTimeout(late);
    // Between jobs it keeps no process alive.
    worker.unref();
    return reply;
  }

  /** Or why the machine does not give another thread: whoever waits for its turn must not fail by that. */
  #start(): Worker | string {
    const { entry, compileCacheDir } = this.#options;
    const workerData: CompileThreadData = { compileCacheDir, turn: this.#turn };
    const resourceLimits = { maxYoungGenerationSizeMb: youngGenerationMb };
    try {
      const worker = new Worker(entry(), { name: 'compile', workerData, resourceLimits });
      this.#listenTo(worker);
      this.#worker = worker;
      return worker;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  #lowerPriority(worker: Worker, thread: number): void {
    if (worker !== this.#worker || thread === 0) return;
    if (this.#options.scheduler?.onlyWhenIdle(thread) === true) this.#idleThread = thread;
  }

  #listenTo(worker: Worker): void {
    let problem = 'The compile thread was ended.';
    worker.on('message', (said: JobReply | Begun) => {
      if ('thread' in said) this.#lowerPriority(worker, said.thread);
      else this.#tell(said);
    });
    worker.on('error', (error) => (problem = `The compile thread failed: ${String(error)}.`));
    worker.on('exit', () => {
      // One that was left behind has nothing to say about the job of its successor.
      if (this.#worker !== worker && this.#worker !== undefined) return;
      this.#worker = undefined;
      this.#idleThread = 0;
      this.#tell({ ended: problem });
    });
  }
}

const tooLong = (jobMs: number): Ended => ({
  ended: `The compile thread did not finish within ${jobMs / 1000} s.`,
});
