// What people ask about the texts of lists and wait for: where a rule stands, what has a text in it, how a
// name would be answered. Each is a short-lived thread of its own beside those that compile, for a bounded
// time, and only so many at once.

import type { Explained, Inquiry, MetRule } from '#engine';
import { sharedClockMs } from '#platform/time';
import type { CompileReplies } from '#lists/compile';
import type { FoundRule, RegexRule } from '#lists/search';

/** Of the same kind at once; more would only make each of them slower. */
const atOnceMax = 2;
/** How long each may take. */
export interface QuestionTimes {
  /** A search, and when its thread is ended whatever it does: two seconds in all. */
  readonly searchMs: number;
  readonly searchMaxMs: number;
  /** The same for the lines of an explanation, which says so when they are missing. */
  readonly findMs: number;
  readonly findMaxMs: number;
  readonly explainMaxMs: number;
}

const usualTimes: QuestionTimes = {
  searchMs: 1_700,
  searchMaxMs: 1_900,
  findMs: 2_500,
  findMaxMs: 3_500,
  explainMaxMs: 4_000,
};
/** Lists whose lines are looked up for one explanation, the one that decided first. */
const listsMax = 20;

export interface ListSearch {
  readonly text: string;
  readonly isExact: boolean;
  readonly hitsMax: number;
  readonly listIds: readonly number[];
  readonly regexes: readonly RegexRule[];
}

export type Searched = CompileReplies['search'];

const nothingInTime: Searched = { hits: [], counts: [], isComplete: false, regexIds: [] };

export interface ListQuestionsParts {
  readonly dataDir: string;
  readonly compileCacheDir: string;
  /** Of the program. */
  readonly version: string;
  /** The file that a compile thread starts from. */
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

  /** Where these rules of lists stand, as far as that is found in time. */
  async lines(rules: readonly MetRule[]): Promise<readonly FoundRule[]> {
    const wanted = rules.filter(({ listId, line }) => listId > 0 && line === 0);
    if (wanted.length === 0) return [];
    const { nameFromText } = await import('#wire');
    const names = new Set(wanted.filter(({ kind }) => kind === 'name').map(({ about }) => about));
    const ranges = new Set(wanted.filter(({ kind }) => kind === 'address').map(({ about }) => about));
    const ids = [...new Set(wanted.map(({ listId }) => listId))].slice(0, listsMax);
    const untilMs = sharedClockMs() + this.#times.findMs;
    const { threads, listsFolder, snapshotPath } = await this.#threads(this.#times.findMaxMs);
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

  /** Nothing when too many search already. */
  async search({ regexes, ...wanted }: ListSearch): Promise<Searched | undefined> {
    if (this.#searching >= atOnceMax) return undefined;
    this.#searching++;
    try {
      const untilMs = sharedClockMs() + this.#times.searchMs;
      const { threads, listsFolder, snapshotPath } = await this.#threads(this.#times.searchMaxMs);
      const request = { ...wanted, listsFolder, snapshotPath, untilMs };
      return (await threads.search(request, regexes)) ?? nothingInTime;
    } finally {
      this.#searching--;
    }
  }

  /** While no dns worker runs; nothing when there is nothing on the disk to tell it by. */
  async explain(inquiry: Inquiry): Promise<Explained | undefined> {
    const { threads } = await this.#threads(this.#times.explainMaxMs);
    const { dataDir, version } = this.#parts;
    return threads.explain({ dataDir, version, inquiry });
  }

  /** Of its own, so that nobody waits for others; loaded when somebody asks. */
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
