// Asks the compile threads. Building and examining wait for each other, so that their memory never adds up;
// finding and searching have a lane of their own, since a person waits for them.

import type { Explained } from '#engine';
import type {
  CompileJob,
  CompileOutcome,
  CompileReplies,
  CompileRequest,
  OfflineRequest,
} from './compile-job.ts';
import { CompileWorker, type CompileWorkerOptions, type Ended, type Turn } from './compile-worker.ts';
import type { Examined } from '../copies/examine.ts';
import type { FindRequest, FoundRule } from '../search/find-rules.ts';
import type { RegexRule } from '../search/match-regexes.ts';
import type { SearchRequest } from '../search/search-copies.ts';

export interface CompileThreadsOptions {
  readonly entry: URL;
  readonly compileCacheDir?: string | undefined;
  /** After that a thread is ended, whatever it does. */
  readonly jobMs?: number;
  /** After that one that waits for an idle machine is begun anew without waiting. */
  readonly patienceMs?: number;
  readonly scheduler?: CompileWorkerOptions['scheduler'];
}

type Lane = 'building' | 'asking';

const jobMaxMs = 300_000;
/** Ten times what a million names take. */
const usualPatienceMs = 20_000;
/** Jobs that wait in one lane. */
const waitingMax = 1000;

export class CompileThreads {
  readonly #workers: Readonly<Record<Lane, CompileWorker>>;
  readonly #tails = new Map<Lane, Promise<unknown>>();
  #waiting = 0;

  constructor(options: CompileThreadsOptions) {
    const { compileCacheDir, jobMs = jobMaxMs, patienceMs = usualPatienceMs, scheduler } = options;
    const shared = { entry: () => options.entry, compileCacheDir, jobMs, patienceMs, scheduler };
    const worker = (turn: Turn): CompileWorker => new CompileWorker({ ...shared, turn });
    this.#workers = { building: worker('idle'), asking: worker('usual') };
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
    await Promise.all(Object.values(this.#workers).map((worker) => worker.close()));
  }

  async #ask<K extends CompileJob['kind']>(
    lane: Lane,
    job: Extract<CompileJob, { kind: K }>,
  ): Promise<CompileReplies[K] | Ended> {
    if (this.#waiting >= waitingMax) return { ended: 'Too many jobs wait for the compile thread.' };
    this.#waiting += 1;
    const turn = this.#tails.get(lane) ?? Promise.resolve();
    const run = turn.then(() => this.#workers[lane].run(job));
    this.#tails.set(lane, run);
    const reply = await run;
    this.#waiting -= 1;
    // The entry answers each kind of job with its own kind of reply.
    return reply as CompileReplies[K] | Ended;
  }
}
