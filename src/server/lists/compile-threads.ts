// Asks the compile thread. Each job is a thread that ends with it, because what it needed (texts, the regular
// expression engine) would stay in memory otherwise. Building and examining wait for each other, so that
// their memory never adds up; finding and searching have a lane of their own, since a person waits for them.

import { Worker } from 'node:worker_threads';
import type { Explained } from '#engine';
import type { OfflineRequest } from '../dns/explain-offline.ts';
import type { CompileJob, CompileOutcome, CompileReplies, CompileRequest } from './compile-job.ts';
import type { Examined } from './examine.ts';
import type { FindRequest, FoundRule } from './find-rules.ts';
import type { RegexRule } from './match-regexes.ts';
import type { SearchRequest } from './search-copies.ts';

export interface CompileThreadsOptions {
  readonly entry: URL;
  readonly compileCacheDir?: string | undefined;
  /** After that a thread is ended, whatever it does. */
  readonly jobMs?: number;
}

/** What the thread is given. */
export interface CompileThreadData {
  readonly job: CompileJob;
  readonly compileCacheDir: string | undefined;
}

type Lane = 'building' | 'asking';
type Ended = { readonly ended: string };

const jobMaxMs = 300_000;
const youngGenerationMb = 16;
/** Jobs that wait in one lane. */
const waitingMax = 1000;

export class CompileThreads {
  readonly #options: CompileThreadsOptions;
  readonly #tails = new Map<Lane, Promise<unknown>>();
  readonly #workers = new Set<Worker>();
  #waiting = 0;
  #isClosed = false;

  constructor(options: CompileThreadsOptions) {
    this.#options = options;
  }

  async compile(request: CompileRequest): Promise<CompileOutcome> {
    const reply = await this.#ask('building', { kind: 'compile', request });
    return 'ended' in reply ? { kind: 'failed', reason: reply.ended } : reply;
  }

  /** Why the compiled lists on the disk cannot be used; nothing when they can, or nobody could look. */
  async check(snapshotPath: string): Promise<string | undefined> {
    const reply = await this.#ask('building', { kind: 'check', snapshotPath });
    return 'ended' in reply ? undefined : reply.problem;
  }

  async examine(draftPath: string, unpackedBytes: number): Promise<Examined> {
    const reply = await this.#ask('building', { kind: 'examine', draftPath, unpackedBytes });
    return 'ended' in reply ? { kind: 'failed', reason: reply.ended } : reply;
  }

  /** Nothing when the thread did not get to it. */
  async find(request: FindRequest): Promise<readonly FoundRule[] | undefined> {
    const reply = await this.#ask('asking', { kind: 'find', request });
    return 'ended' in reply ? undefined : reply;
  }

  async explain(request: OfflineRequest): Promise<Explained | undefined> {
    const reply = await this.#ask('asking', { kind: 'explain', request });
    return 'ended' in reply ? undefined : reply.explained;
  }

  async search(
    request: SearchRequest,
    regexes: readonly RegexRule[] = [],
  ): Promise<CompileReplies['search'] | undefined> {
    const reply = await this.#ask('asking', { kind: 'search', request, regexes });
    return 'ended' in reply ? undefined : reply;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#workers].map((worker) => worker.terminate()));
  }

  async #ask<K extends CompileJob['kind']>(
    lane: Lane,
    job: Extract<CompileJob, { kind: K }>,
  ): Promise<CompileReplies[K] | Ended> {
    if (this.#waiting >= waitingMax) return { ended: 'Too many jobs wait for the compile thread.' };
    this.#waiting += 1;
    const turn = this.#tails.get(lane) ?? Promise.resolve();
    const run = turn.then(() => this.#run(job));
    this.#tails.set(lane, run);
    const reply = await run;
    this.#waiting -= 1;
    // The entry answers each kind of job with its own kind of reply.
    return reply as CompileReplies[K] | Ended;
  }

  #run(job: CompileJob): Promise<CompileReplies[CompileJob['kind']] | Ended> {
    if (this.#isClosed) return Promise.resolve({ ended: 'The service is stopping.' });
    const { entry, compileCacheDir, jobMs = jobMaxMs } = this.#options;
    const workerData: CompileThreadData = { job, compileCacheDir };
    return new Promise((resolve) => {
      const worker = startWorker(entry, workerData);
      if (typeof worker === 'string') {
        resolve({ ended: `The compile thread cannot be started: ${worker}.` });
        return;
      }
      const tooLong = setTimeout(() => void worker.terminate(), jobMs).unref();
      this.#workers.add(worker);
      let problem = `The compile thread did not finish within ${jobMs / 1000} s, or was ended.`;
      worker.on('message', (reply: CompileReplies[CompileJob['kind']]) => resolve(reply));
      worker.on('error', (error) => (problem = `The compile thread failed: ${String(error)}.`));
      worker.on('exit', () => {
        clearTimeout(tooLong);
        this.#workers.delete(worker);
        resolve({ ended: problem });
      });
    });
  }
}

/** Or why the machine does not give another thread: whoever waits for its turn must not fail by that. */
function startWorker(entry: URL, workerData: CompileThreadData): Worker | string {
  const resourceLimits = { maxYoungGenerationSizeMb: youngGenerationMb };
  try {
    return new Worker(entry, { name: 'compile', workerData, resourceLimits });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
