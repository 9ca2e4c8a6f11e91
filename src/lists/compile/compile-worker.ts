// One compile thread: starts with its first job and runs one job at a time. After a small job it is kept for
// a second, because an update that examines twenty lists would otherwise start a thread, and have V8 compile
// its code, twenty times. After a compilation it ends at once, to free the memory that the job needed.
//
// Background jobs start at idle priority: they run only while no other process needs the CPU. On a busy
// machine they might never run; after `patienceMs` the job starts again in a thread with low priority, and
// all later jobs use that priority too.

import { Worker } from 'node:worker_threads';
import type { SchedulerCalls } from '#platform/sockets';
import type { CompileJob, CompileReplies } from './compile-job.ts';
import { errorText } from '#platform/tasks';

/** The workerData of the thread; jobs arrive as messages. */
export interface CompileThreadData {
  readonly compileCacheDir: string | undefined;
  readonly priority: ThreadPriority;
}

/** `low`: a higher nice value. `idle`: only while the CPU is otherwise idle. */
export type ThreadPriority = 'normal' | 'low' | 'idle';

export type JobReply = CompileReplies[CompileJob['kind']];
export type Ended = { readonly ended: string };
/** First message of a thread with idle priority: its id in the kernel. */
type Started = { readonly thread: number };

export interface CompileWorkerOptions extends CompileThreadData {
  readonly entry: () => URL;
  /** Timeout of a job; its thread is terminated. */
  readonly jobMs: number;
  /** How long a job may take at idle priority. */
  readonly patienceMs: number;
  /** Sets idle priority; without it the thread runs at low priority. */
  readonly scheduler: Pick<SchedulerCalls, 'onlyWhenIdle' | 'idleNoMore'> | undefined;
}

const keepAliveMs = 1_000;
const youngGenerationMb = 16;

export class CompileWorker {
  readonly #options: CompileWorkerOptions;
  #priority: ThreadPriority;
  #worker: Worker | undefined;
  /** Kernel id of the thread while it has idle priority, else 0. */
  #idleThread = 0;
  #keepAlive: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Resolves the running job. */
  #settle: (reply: JobReply | Ended) => void = () => undefined;

  constructor(options: CompileWorkerOptions) {
    this.#options = options;
    this.#priority = options.priority;
  }

  async run(job: CompileJob): Promise<JobReply | Ended> {
    const { jobMs, patienceMs } = this.#options;
    if (this.#priority === 'idle') {
      const reply = await this.#runFor(job, Math.min(patienceMs, jobMs));
      if (reply !== 'late') return reply;
      this.#priority = 'low';
    }
    const reply = await this.#runFor(job, jobMs);
    return reply === 'late' ? timedOut(jobMs) : reply;
  }

  /** Final: a job that would be started again at low priority fails instead. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end();
  }

  /** Terminates the thread, also in the middle of a job. */
  async #end(): Promise<void> {
    clearTimeout(this.#keepAlive);
    const worker = this.#worker;
    this.#worker = undefined;
    // At idle priority a thread on a busy machine would not get the CPU time to exit.
    if (this.#idleThread > 0) this.#options.scheduler?.idleNoMore(this.#idleThread);
    this.#idleThread = 0;
    await worker?.terminate();
  }

  async #runFor(job: CompileJob, maxMs: number): Promise<JobReply | Ended | 'late'> {
    clearTimeout(this.#keepAlive);
    if (this.#isClosed) return { ended: 'The service is stopping.' };
    const worker = this.#worker ?? this.#start();
    if (typeof worker === 'string') return { ended: `The compile thread cannot be started: ${worker}.` };
    const reply = await this.#post(worker, job, maxMs);
    if (job.kind === 'compile' || reply === 'late') await this.#end();
    else this.#keepAlive = setTimeout(() => void this.#end(), keepAliveMs).unref();
    return reply;
  }

  async #post(worker: Worker, job: CompileJob, maxMs: number): Promise<JobReply | Ended | 'late'> {
    const { promise, resolve } = Promise.withResolvers<JobReply | Ended | 'late'>();
    this.#settle = resolve;
    const late = setTimeout(() => resolve('late'), maxMs).unref();
    worker.ref();
    worker.postMessage(job);
    const reply = await promise;
    clearTimeout(late);
    // Between jobs the thread must not keep the process alive.
    worker.unref();
    return reply;
  }

  /** Returns the error text when the system refuses another thread: an exception would break the queue. */
  #start(): Worker | string {
    const { entry, compileCacheDir } = this.#options;
    const workerData: CompileThreadData = { compileCacheDir, priority: this.#priority };
    const resourceLimits = { maxYoungGenerationSizeMb: youngGenerationMb };
    try {
      const worker = new Worker(entry(), { name: 'compile', workerData, resourceLimits });
      this.#listenTo(worker);
      this.#worker = worker;
      return worker;
    } catch (error) {
      return errorText(error);
    }
  }

  #setIdlePriority(worker: Worker, thread: number): void {
    if (worker !== this.#worker || thread === 0) return;
    if (this.#options.scheduler?.onlyWhenIdle(thread) === true) this.#idleThread = thread;
  }

  #listenTo(worker: Worker): void {
    let problem = 'The compile thread was ended.';
    worker.on('message', (message: JobReply | Started) => {
      if ('thread' in message) this.#setIdlePriority(worker, message.thread);
      else this.#settle(message);
    });
    worker.on('error', (error) => (problem = `The compile thread failed: ${String(error)}.`));
    worker.on('exit', () => {
      // The exit of an old thread must not end the job of its successor.
      if (this.#worker !== worker && this.#worker !== undefined) return;
      this.#worker = undefined;
      this.#idleThread = 0;
      this.#settle({ ended: problem });
    });
  }
}

function timedOut(jobMs: number): Ended {
  return { ended: `The compile thread did not finish within ${jobMs / 1000} s.` };
}
