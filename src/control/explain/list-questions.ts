// Questions about the texts of lists that a person waits for: the line of a rule, a search for a text, and an
// explanation while DNS is off. Each runs in a separate short-lived compile thread, with a timeout; the
// number of parallel searches is limited.

import { limits } from '#contract/limits';
import type { Explained, Inquiry, MetRule } from '#engine';
import { sharedClockMs } from '#platform/time';
import type { CompileReplies } from '#lists/compile';
import type { FoundRule, RegexRule } from '#lists/search';

/** Timeouts; each search or find has a deadline, and a later time at which its thread is terminated. */
export interface QuestionTimes {
  /** Together with the start of the thread at most two seconds. */
  readonly searchMs: number;
  readonly maxSearchMs: number;
  /** For the lines of an explanation, which is shown without those that are not found in time. */
  readonly findMs: number;
  readonly maxFindMs: number;
  readonly maxExplainMs: number;
}

const usualTimes: QuestionTimes = {
  searchMs: 1_700,
  maxSearchMs: 1_900,
  findMs: 2_500,
  maxFindMs: 3_500,
  maxExplainMs: 4_000,
};
/** Lists that are scanned for one explanation, beginning with the one that decided. */
const maxLists = 20;

export interface ListSearch {
  readonly text: string;
  readonly isExact: boolean;
  readonly maxHits: number;
  readonly listIds: readonly number[];
  readonly regexes: readonly RegexRule[];
}

export type Searched = CompileReplies['search'];

const nothingFound: Searched = { hits: [], counts: [], isComplete: false, regexIds: [] };

export interface ListQuestionsParts {
  readonly dataDir: string;
  readonly compileCacheDir: string;
  /** Of the program. */
  readonly version: string;
  /** The entry file of a compile thread. */
  readonly entry: URL;
}

export class ListQuestions {
  readonly #parts: ListQuestionsParts;
  readonly #times: QuestionTimes;
  #searching = 0;

  constructor(parts: ListQuestionsParts, times: QuestionTimes = usualTimes) {
    this.#parts = parts;
    this.#times = times;
  }

  /** The lines of these list rules, as far as they are found in time. */
  async lines(rules: readonly MetRule[]): Promise<readonly FoundRule[]> {
    const wanted = rules.filter(({ listId, line }) => listId > 0 && line === 0);
    if (wanted.length === 0) return [];
    const { nameFromText } = await import('#wire');
    const names = new Set(wanted.filter(({ kind }) => kind === 'name').map(({ about }) => about));
    const ranges = new Set(wanted.filter(({ kind }) => kind === 'address').map(({ about }) => about));
    const ids = [...new Set(wanted.map(({ listId }) => listId))].slice(0, maxLists);
    const untilMs = sharedClockMs() + this.#times.findMs;
    const { threads, listsFolder, snapshotPath } = await this.#threads(this.#times.maxFindMs);
    const found = await threads.find({
      listsFolder,
      snapshotPath,
      lists: ids.map((id) => ({ id })),
      names: [...names].flatMap((name) => nameFromText(name) ?? []),
      ranges: [...ranges],
      untilMs,
    });
    return found ?? [];
  }

  /** Undefined when too many searches are running. */
  async search({ regexes, ...wanted }: ListSearch): Promise<Searched | undefined> {
    if (this.#searching >= limits.concurrentListSearches) return undefined;
    this.#searching++;
    try {
      const untilMs = sharedClockMs() + this.#times.searchMs;
      const { threads, listsFolder, snapshotPath } = await this.#threads(this.#times.maxSearchMs);
      const request = { ...wanted, listsFolder, snapshotPath, untilMs };
      return (await threads.search(request, regexes)) ?? nothingFound;
    } finally {
      this.#searching--;
    }
  }

  /** For use while no dns worker runs; undefined when there is no plan on disk. */
  async explain(inquiry: Inquiry): Promise<Explained | undefined> {
    const { threads } = await this.#threads(this.#times.maxExplainMs);
    const { dataDir, version } = this.#parts;
    return threads.explain({ dataDir, version, inquiry });
  }

  /** New threads for each question, so that questions do not wait for each other; loaded on demand. */
  async #threads(jobMs: number) {
    const [{ CompileThreads }, { listsFolderOf }, { snapshotFile }] = await Promise.all([
      import('#lists/compile/compile-threads'),
      import('#lists/copies/lists-folder'),
      import('#lists/snapshot/read-snapshot'),
    ]);
    const { dataDir, compileCacheDir, entry } = this.#parts;
    const threads = new CompileThreads({ entry, compileCacheDir, jobMs });
    return { threads, listsFolder: listsFolderOf(dataDir), snapshotPath: snapshotFile(dataDir) };
  }
}
