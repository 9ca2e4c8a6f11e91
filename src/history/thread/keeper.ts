// Runs the history on its thread: opens it when possible, reads the rings of the dns workers, writes each
// second, runs maintenance each minute. Disk trouble is published as a situation and retried; meanwhile the
// rings keep the newest records.

import { readUpstreamNames, RecordReader, RowTable } from '#engine';
import { databaseTrouble } from '#platform/sqlite';
import { SeenClients } from './seen-clients.ts';
import type { BudgetOptions } from '../segments/budget.ts';
import { HistoryStore } from '../segments/history-store.ts';
import type { ReportKind } from '../segments/store-types.ts';
import type { RetentionLimits } from '../segments/retention.ts';
import type { HistoryPlan } from './history-plan.ts';
import type { DnsTraces } from './history-messages.ts';
import { Answerer } from './answers.ts';
import { RecordPrivacy } from './record-privacy.ts';
import type { SituationName } from './protocol.ts';
import { errorText } from '#platform/tasks';

export interface KeeperParts {
  readonly dataDir: string;
  readonly seeds: readonly [number, number];
  readonly wallMs: () => number;
  readonly notice: (level: 'error' | 'warn' | 'info', text: string) => void;
  /** Without a text the situation is over. */
  readonly onSituation: (name: SituationName, text: string | undefined) => void;
}

interface Ring {
  readonly reader: RecordReader;
  readonly counters: SharedArrayBuffer;
}

const maxAtOnce = 100_000;
const writeEveryMs = 1_000;
/** Records of one ring before the next ring has its turn. */
const maxInTurn = 512;
/** Pause after a failure that will hardly go away soon. */
const prepareAgainMs = 60_000;
const megabyte = 1024 * 1024;

export class HistoryKeeper {
  readonly seen = new SeenClients();
  /** How many records were read so far. */
  taken = 0;
  readonly #parts: KeeperParts;
  readonly #situations = new Map<SituationName, string>();
  readonly #reports: { readonly text: string; readonly kind: ReportKind }[] = [];
  #writtenMs = -Infinity;
  /** Why the last preparation failed, and when. */
  #unprepared = { text: '', atMs: -Infinity };
  #privacy: RecordPrivacy;
  #limits: RetentionLimits;
  #rings: readonly Ring[] = [];
  #store: HistoryStore | undefined;
  #answerer: Answerer | undefined;

  constructor(parts: KeeperParts, plan: HistoryPlan) {
    this.#parts = parts;
    this.seen.begin((rows) => new RowTable(rows, parts.seeds[0]));
    this.#privacy = new RecordPrivacy(plan, this.seen);
    this.#limits = limitsOf(plan);
  }

  /** Undefined while the history cannot be opened. */
  get answerer(): Answerer | undefined {
    return this.#answerer;
  }

  get store(): HistoryStore | undefined {
    return this.#store;
  }

  get situations(): ReadonlyMap<SituationName, string> {
    return this.#situations;
  }

  /** Records that came before are stored by the old plan. */
  setPlan(plan: HistoryPlan): void {
    this.catchUp();
    this.#privacy = new RecordPrivacy(plan, this.seen);
    this.#limits = limitsOf(plan);
  }

  /** Reads first what workers that are gone have left. */
  setDnsMemory(dnsMemory: readonly DnsTraces[]): void {
    this.catchUp();
    this.#rings = dnsMemory.map(({ records, counters }) => ({ reader: new RecordReader(records), counters }));
  }

  /** Returns whether the history is open now. */
  tryOpen(): boolean {
    if (this.#store !== undefined) return true;
    const { dataDir, seeds, wallMs } = this.#parts;
    try {
      const report = (text: string, kind: ReportKind): void => void this.#reports.push({ text, kind });
      this.#store = new HistoryStore({ dataDir, nowMs: wallMs(), seeds, report });
      this.#answerer = new Answerer(this.#store);
      this.#setSituation('disk', undefined);
      this.#publishReports();
      return true;
    } catch (error) {
      if (databaseTrouble(error) !== 'conflict') this.#setSituation('disk', openingFailed(dataDir, error));
      return false;
    }
  }

  /** Reads the workers' records, the older ones of all workers first; returns how many. */
  catchUp(): number {
    const store = this.#store;
    if (store === undefined) return 0;
    const { privacyOf } = this.#privacy;
    const rings = this.#rings
      .filter(({ reader }) => reader.hasSome)
      .map(({ reader, counters }) => ({ reader, upstreams: readUpstreamNames(counters) }));
    const atOnce = rings.length > 1 ? maxInTurn : maxAtOnce;
    let taken = 0;
    while (taken < maxAtOnce * rings.length) {
      const ring = rings.reduce((first, other) =>
        other.reader.nextMs < first.reader.nextMs ? other : first,
      );
      const got = store.readRecords(ring.reader, { upstreams: ring.upstreams, privacyOf }, atOnce);
      if (got === 0) break;
      taken += got;
    }
    this.taken += taken;
    return taken;
  }

  /** During a long question: reads records, and writes each second as usual. */
  meanwhile(): void {
    if (Math.abs(this.#parts.wallMs() - this.#writtenMs) >= writeEveryMs) this.everySecond();
    else this.catchUp();
  }

  everySecond(): void {
    this.#writtenMs = this.#parts.wallMs();
    if (!this.tryOpen()) return;
    this.catchUp();
    this.#store?.everySecond(this.#parts.wallMs());
    this.#publishReports();
  }

  /** One small step of maintenance; returns whether there is more to do. */
  maintain(): boolean {
    const isMore = this.#store?.everyMinute(this.#parts.wallMs(), this.#limits) ?? false;
    this.#publishReports();
    return isMore;
  }

  /** One small step of preparation for later questions; returns whether there is more to do. */
  prepare(budget: BudgetOptions): boolean {
    const nowMs = this.#parts.wallMs();
    if (Math.abs(nowMs - this.#unprepared.atMs) < prepareAgainMs) return false;
    try {
      return this.#answerer?.prepare(nowMs, budget) ?? false;
    } catch (error) {
      this.#reportUnprepared(error, nowMs);
      return false;
    } finally {
      this.#publishReports();
    }
  }

  /** No caller waits for the preparation, and recording continues: reported once and retried later. */
  #reportUnprepared(error: unknown, atMs: number): void {
    const text = errorText(error);
    if (text !== this.#unprepared.text)
      this.#parts.notice('error', preparingFailed(this.#parts.dataDir, error));
    this.#unprepared = { text, atMs };
  }

  /** Writes all records to the disk, if possible. */
  close(): void {
    this.catchUp();
    this.#store?.close();
    this.#publishReports();
    this.#store = undefined;
    this.#answerer = undefined;
  }

  /** Publishes the store's reports: disk not writable, writable again, damage. */
  #publishReports(): void {
    for (const { text, kind } of this.#reports.splice(0))
      this.#setSituation(situationOf[kind], kind === 'well' ? undefined : text);
  }

  #setSituation(name: SituationName, text: string | undefined): void {
    const before = this.#situations.get(name);
    if (before === text) return;
    if (text === undefined) this.#situations.delete(name);
    else this.#situations.set(name, text);
    if (text === undefined) this.#parts.notice('info', 'The history is recorded again.');
    else if (before === undefined) this.#parts.notice('error', text);
    this.#parts.onSituation(name, text);
  }
}

const situationOf: Readonly<Record<ReportKind, SituationName>> = {
  damage: 'broken',
  journal: 'journal',
  trouble: 'disk',
  well: 'disk',
};

function openingFailed(dataDir: string, error: unknown): string {
  return (
    `The history in ${dataDir} cannot be opened: ` +
    `${errorText(error)}. Queries are answered, but not recorded. ` +
    'Free disk space and make sure that the folder is writable; opening is retried automatically.'
  );
}

function preparingFailed(dataDir: string, error: unknown): string {
  return (
    `The statistics of the history in ${dataDir} could not be precomputed: ` +
    `${error instanceof Error ? (error.stack ?? error.message) : String(error)}. Queries are still ` +
    'recorded, but statistics may be slow or fail. It is retried each minute; check the disk if it reports ' +
    'errors.'
  );
}

/** In the plan 0 means no limit. */
function limitsOf({ days, megabytes, blockedDays, allowedDays }: HistoryPlan): RetentionLimits {
  return {
    days: days || Infinity,
    sizeBytes: megabytes * megabyte || Infinity,
    blockedDays: blockedDays || Infinity,
    allowedDays: allowedDays || Infinity,
  };
}
