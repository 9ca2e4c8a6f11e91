// Sends jobs to the compile threads, through two queues. In the background queue (compile, check, examine)
// one job runs at a time, so that their memory does not add up. The interactive queue (find, explain, search)
// does not wait for it, because a person waits for the result.

import type { Explained } from '#engine';
import type {
  CompileJob,
  CompileOutcome,
  CompileReplies,
  CompileRequest,
  OfflineRequest,
} from './compile-job.ts';
import {
  CompileWorker,
  type CompileWorkerOptions,
  type Ended,
  type ThreadPriority,
} from './compile-worker.ts';
import type { Examined } from '../copies/examine.ts';
import type { FindRequest, FoundRule } from '../search/find-rules.ts';
import type { RegexRule } from '../search/match-regexes.ts';
import type { SearchRequest } from '../search/search-copies.ts';

export interface CompileThreadsOptions {
  readonly entry: URL;
  readonly compileCacheDir?: string | undefined;
  /** Timeout of a job; its thread is terminated. */
  readonly jobMs?: number;
  /** How long a job may take at idle priority before it starts again at low priority. */
  readonly patienceMs?: number;
  readonly scheduler?: CompileWorkerOptions['scheduler'];
}

type Lane = 'background' | 'interactive';

const maxJobMs = 300_000;
/** Compiling a million names takes a tenth of this. */
const usualPatienceMs = 20_000;
/** Jobs in both queues. */
const maxWaiting = 1000;

export class CompileThreads {
  readonly #workers: Readonly<Record<Lane, CompileWorker>>;
  readonly #tails = new Map<Lane, Promise<unknown>>();
  #waiting = 0;

  constructor(options: CompileThreadsOptions) {
    const { compileCacheDir, jobMs = maxJobMs, patienceMs = usualPatienceMs, scheduler } = options;
    const shared = { entry: () => options.entry, compileCacheDir, jobMs, patienceMs, scheduler };
    const worker = (priority: ThreadPriority): CompileWorker => new CompileWorker({ ...shared, priority });
    this.#workers = { background: worker('idle'), interactive: worker('normal') };
  }

  async compile(request: CompileRequest): Promise<CompileOutcome> {
    const reply = await this.#enqueue('background', { kind: 'compile', request });
    return 'ended' in reply ? { kind: 'failed', reason: reply.ended } : reply;
  }

  /** Why the snapshot file cannot be used; undefined when it can, or when the check did not run. */
  async check(snapshotPath: string): Promise<string | undefined> {
    const reply = await this.#enqueue('background', { kind: 'check', snapshotPath });
    return 'ended' in reply ? undefined : reply.problem;
  }

  async examine(draftPath: string, unpackedBytes: number): Promise<Examined> {
    const reply = await this.#enqueue('background', { kind: 'examine', draftPath, unpackedBytes });
    return 'ended' in reply ? { kind: 'failed', reason: reply.ended } : reply;
  }

  /** Undefined when the job failed or timed out. */
  async find(request: FindRequest): Promise<readonly FoundRule[] | undefined> {
    const reply = await this.#enqueue('interactive', { kind: 'find', request });
    return 'ended' in reply ? undefined : reply;
  }

  async explain(request: OfflineRequest): Promise<Explained | undefined> {
    const reply = await this.#enqueue('interactive', { kind: 'explain', request });
    return 'ended' in reply ? undefined : reply.explained;
  }

  async search(
    request: SearchRequest,
    regexes: readonly RegexRule[] = [],
  ): Promise<CompileReplies['search'] | undefined> {
    const reply = await this.#enqueue('interactive', { kind: 'search', request, regexes });
    return 'ended' in reply ? undefined : reply;
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#workers).map((worker) => worker.close()));
  }

  async #enqueue<K extends CompileJob['kind']>(
    lane: Lane,
    job: Extract<CompileJob, { kind: K }>,
  ): Promise<CompileReplies[K] | Ended> {
    if (this.#waiting >= maxWaiting) return { ended: 'Too many jobs wait for the compile thread.' };
    this.#waiting += 1;
    const previous = this.#tails.get(lane) ?? Promise.resolve();
    const run = previous.then(() => this.#workers[lane].run(job));
    this.#tails.set(lane, run);
    const reply = await run;
    this.#waiting -= 1;
    // The entry answers each kind of job with its own kind of reply.
    return reply as CompileReplies[K] | Ended;
  }
}
