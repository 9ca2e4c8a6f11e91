// The history as a whole: it reads records, stores them and answers questions about them. It owns the
// database file, the journals and the newest rows in memory. Time is a parameter. Disk trouble stops only
// writing: rows stay in memory as long as the open block has room, then they are dropped and counted.

import type { RecordReader } from '#engine';
import { troubleText } from '#platform/sqlite';
import { Budget, type BudgetOptions } from './budget.ts';
import type { Stored } from './range-parts.ts';
import { DayMerger } from './day-merger.ts';
import { conditionsOf, type RowFilter } from './filter.ts';
import { hiddenClient } from './hidden.ts';
import { asideAlarm, isDamage, isDiskTrouble, openParts, storeBlock, type Parts } from './history-parts.ts';
import type { RecordOptions } from './intake.ts';
import { encodeChunk } from './journal.ts';
import { Sweep } from './sweep.ts';
import { closedPartialSums, partialSumsOf } from './partial-sums.ts';
import { readPage, type Page, type PageRequest } from './page.ts';
import { ReadySteps } from './ready-sums.ts';
import { keepEverything, retain, type RetentionLimits } from './retention.ts';
import type { RollupPart } from './rollup-code.ts';
import { allParts } from './rollup.ts';
import { orderRows } from './row-order.ts';
import { Block } from './rows.ts';
import { hourOf } from './segment-index.ts';
import { Statistics } from './statistics.ts';
import type {
  ClientList,
  HistoryFigures,
  HistoryOptions,
  StatisticsAnswer,
  StatisticsRange,
} from './store-types.ts';
import { ClockJumpGuard } from './clock-jump-guard.ts';
import { Unlogged } from './unlogged.ts';
import { usageSlice, type UsageRequest, type UsageSlice } from './usage.ts';

const defaultWindowBytes = 64 * 1024 * 1024;
const defaultBlockRows = 131_072;
const maxPerCall = 100_000;
const retryAfterMs = 5_000;

/** Where writing failed. */
type Place = 'journal' | 'segment' | 'maintenance';
interface Trouble {
  readonly place: Place;
  readonly text: string;
}

export class HistoryStore {
  readonly #options: HistoryOptions;
  readonly #blockRows: number;
  #parts: Parts;
  #merger: DayMerger;
  #sweep: Sweep;
  #open: Block;
  #openHour: number;
  #journaled: number;
  /** Rows before this one are written, or their ids were returned to a caller: they must not move. */
  #settled: number;
  #nowMs: number;
  readonly #clock: ClockJumpGuard;
  readonly #steps = new ReadySteps();
  readonly #unlogged = new Unlogged();
  #lost = 0;
  #trouble: Trouble | undefined;
  /** No retry before this time. */
  #retryAtMs = -Infinity;

  /** Throws when the folder cannot be written to. */
  constructor(options: HistoryOptions) {
    this.#options = options;
    this.#blockRows = options.blockRows ?? defaultBlockRows;
    this.#nowMs = options.nowMs;
    this.#parts = this.#load(options.nowMs);
    this.#open = this.#parts.open;
    this.#journaled = this.#open.length;
    this.#settled = this.#open.length;
    this.#openHour = hourOf(this.#open.length > 0 ? this.#open.maxMs : options.nowMs);
    this.#merger = new DayMerger(this.#parts.index);
    this.#sweep = new Sweep(this.#parts);
    this.#clock = new ClockJumpGuard(this.#newestMs() ?? options.nowMs);
  }

  /** Undefined when there are no rows. */
  #newestMs(): number | undefined {
    const newest = this.#open.length > 0 ? this.#open : this.#parts.index.segments.at(-1);
    return newest?.maxMs;
  }

  /** Reads records from a ring; returns how many. */
  readRecords(reader: RecordReader, options: RecordOptions, most = maxPerCall): number {
    let taken = 0;
    while (taken < most) {
      const room = this.#blockRows - this.#open.length;
      if (room <= 0 && !this.#closeBlock()) return taken + this.#drop(reader, most - taken);
      const wanted = Math.min(this.#blockRows - this.#open.length, most - taken);
      const before = this.#open.length;
      const got = this.#parts.intake.readRecords(
        reader,
        wanted,
        this.#open,
        this.#parts.journal.number,
        options,
      );
      orderRows(this.#open, this.#settled, before);
      taken += got;
      if (got < wanted) break;
    }
    return taken;
  }

  #drop(reader: RecordReader, most: number): number {
    const dropped = reader.read(most, () => undefined);
    this.#lost += dropped;
    return dropped;
  }

  /** Writes new rows to the journal, and closes the block when its hour is over. */
  everySecond(nowMs: number): void {
    this.#nowMs = nowMs;
    this.#unlogged.age(nowMs);
    if (this.#open.length === 0) this.#openHour = hourOf(nowMs);
    if (hourOf(nowMs) !== this.#openHour && this.#closeBlock()) return;
    if (this.#journaled < this.#open.length) this.#guard('journal', () => this.#writeJournal());
  }

  /** One small step of maintenance; returns whether there is more to do. */
  everyMinute(nowMs: number, limits: RetentionLimits): boolean {
    this.#nowMs = nowMs;
    let isMore = false;
    this.#guard('maintenance', () => {
      const { database, index } = this.#parts;
      index.age(nowMs);
      const { sizeBytes } = limits;
      const believed = this.#clock.isSteadyAt(nowMs) ? limits : { ...keepEverything, sizeBytes };
      const isRetaining = retain(database, index, believed, nowMs);
      if (isRetaining) this.#sweep.markDue();
      isMore = isRetaining || this.#merger.step(nowMs) || this.#sweep.step(this.#open, nowMs);
    });
    return isMore;
  }

  /** One step of precomputing sums; returns whether there was something to do. */
  prepare(): boolean {
    this.#steps.extend(this.#open, this.#settled);
    return this.read(() => {
      // Read inside the closure: a retry after a broken file needs the new index.
      const { index } = this.#parts;
      return index.readyDays.prepare(index, this.#nowMs, (range, afterId, budget) =>
        closedPartialSums(this.#stored(), { ...range, beforeId: Infinity }, afterId, allParts, budget),
      );
    });
  }

  page(request: PageRequest, budget: BudgetOptions): Page {
    this.#settled = this.#open.length;
    return this.read(() => readPage(this.#stored(), request, new Budget(budget)));
  }

  /** The sums of a range under a filter; a caller that needs only some parts names them and waits less. */
  statistics(
    range: StatisticsRange,
    filter: RowFilter,
    options: BudgetOptions,
    wanted: ReadonlySet<RollupPart> = allParts,
  ): StatisticsAnswer {
    return this.read(() => {
      const budget = new Budget(options);
      const stored = this.#stored();
      const conditions = conditionsOf(filter, stored, budget);
      const bounds = { ...range, beforeId: Infinity };
      const partialSums = partialSumsOf(stored, bounds, conditions, wanted, budget);
      const unlogged = range.isLive === true && this.#unlogged.partialSumOf(range, conditions, stored);
      if (typeof unlogged === 'object') partialSums.push(unlogged);
      return { statistics: new Statistics(partialSums), truncated: budget.isCut };
    });
  }

  /** How many queries came since then, including those that are only counted. */
  countSince(fromMs: number, filter: RowFilter, options: BudgetOptions): number {
    const range = { fromMs, untilMs: Infinity };
    const { total } = this.statistics(range, filter, options, new Set()).statistics;
    const isAll = Object.keys(filter).length === 0;
    return isAll ? total + this.#unlogged.countSince(fromMs) : total;
  }

  /** One slice of the distinct combinations of name, client and type: see usage.ts. */
  usage(request: UsageRequest, options: BudgetOptions): UsageSlice {
    return this.read(() => usageSlice(this.#stored(), request, [], new Budget(options)));
  }

  /** The texts in the order of the numbers, one per line. */
  namesOf(ids: Uint32Array): string {
    return this.read(() => this.#parts.names.linesOf(ids));
  }

  nameOf(id: number): string {
    return this.#parts.names.textOf(id);
  }

  clientOf(id: number): { readonly ip: string; readonly name: string } {
    return { ip: this.#parts.clients.textOf(id), name: this.#parts.labels.of(id) };
  }

  /** All numbers of clients whose address is hidden. */
  hiddenClients(): ReadonlySet<number> {
    return new Set(this.#parts.clients.idsOf(hiddenClient));
  }

  /** The newest clients, at most `most`; hidden ones are left out. */
  clients(most: number, options: BudgetOptions): ClientList {
    return this.read(() => {
      const budget = new Budget(options);
      const { clients, labels } = this.#parts;
      const found = clients.newest(most + 1, budget.mayGoOn);
      const known = found.slice(0, most).filter(({ text }) => text !== hiddenClient);
      return {
        clients: known.map(({ id, text }) => ({ id, ip: text, name: labels.of(id) })),
        isAll: found.length <= most && !budget.isCut,
      };
    });
  }

  upstreamOf(id: number): string {
    return this.#parts.upstreams.textOf(id);
  }

  /** Sets the name of a client. */
  nameClient(address: string, name: string): void {
    this.#parts.labels.set(address, name);
  }

  /**
   * Deletes everything recorded so far: it is invisible at once and gone from the journals; the disk space is
   * freed in the small steps of `everyMinute`. Returns false when the disk cannot be written to.
   */
  flush(): boolean {
    const before = this.#trouble?.place ?? 'journal';
    if (!this.#closeBlock()) {
      // The block is not closed again soon, so the next write to the journal shows when the disk works again.
      if (this.#trouble !== undefined) this.#trouble = { ...this.#trouble, place: before };
      return false;
    }
    return this.#guard('maintenance', () => {
      this.#parts.index.flush(this.#open.firstId - 1);
      this.#unlogged.clear();
      this.#parts.journal.turnOver(encodeChunk(this.#open, 0, []));
      this.#parts.intake.forgetEntries();
      this.#sweep.markDue(true);
    });
  }

  /** Changes when a broken file was replaced, that is, when all stored rows are gone. */
  get begunMs(): number {
    return this.#parts.begunMs;
  }

  figures(): HistoryFigures {
    this.#settled = this.#open.length;
    const { index, database } = this.#parts;
    const { days } = index;
    const earliestMs = days.reduce((least, { minMs }) => Math.min(least, minMs), this.#open.minMs);
    return {
      rows: days.reduce((sum, { rows }) => sum + rows, this.#open.length),
      lastId: this.#open.lastId,
      earliestMs: earliestMs === Infinity ? undefined : earliestMs,
      segments: index.count,
      sizeBytes: database.usedBytes(),
      windowBytes: index.windowBytes + this.#open.sizeBytes,
      lost: this.#lost,
      trouble: this.#trouble?.text,
    };
  }

  /** A clean stop loses nothing: the journal holds the rows that are in no segment. */
  close(): void {
    this.#retryAtMs = -Infinity;
    if (this.#journaled < this.#open.length) this.#guard('journal', () => this.#writeJournal());
    if (this.#journaled < this.#open.length) this.#closeBlock();
    this.#parts.journal.close();
    this.#parts.database.close();
  }

  /** All statements that were used, for the test of query plans. */
  get statements(): string[] {
    return this.#parts.database.statements;
  }

  #stored(): Stored {
    const { index, names, clients, labels, upstreams } = this.#parts;
    const { segments, days } = index;
    const open = this.#open;
    const at = { nowMs: this.#nowMs, open, openRows: open.length, steps: this.#steps };
    return { ...at, index, segments, days, names, clients, labels, upstreams };
  }

  #load(nowMs: number, isPutAside = false): Parts {
    const { dataDir, seeds, report } = this.#options;
    const windowBytes = this.#options.windowBytes ?? defaultWindowBytes;
    const parts = openParts({ dataDir, nowMs, windowBytes, seeds, unlogged: this.#unlogged, isPutAside });
    if (parts.alarm !== undefined) report(parts.alarm, 'damage');
    if (parts.journalAlarm !== undefined) report(parts.journalAlarm, 'journal');
    return parts;
  }

  #writeJournal(): void {
    const { intake, journal } = this.#parts;
    const length = this.#open.length;
    journal.append(encodeChunk(this.#open, this.#journaled, intake.entries));
    intake.forgetEntries();
    this.#journaled = length;
    this.#settled = length;
  }

  /** Returns whether the rows are in a segment now. */
  #closeBlock(): boolean {
    if (this.#open.length === 0) return true;
    if (this.#trouble?.place === 'segment' && this.#nowMs < this.#retryAtMs) return false;
    return this.#guard('segment', () => {
      const { journal, intake } = this.#parts;
      const block = this.#open;
      storeBlock(this.#parts, block, this.#openHour);
      this.#open = new Block(block.lastId + 1);
      this.#openHour = hourOf(this.#nowMs);
      this.#journaled = 0;
      this.#settled = 0;
      intake.forgetEntries();
      journal.turnOver(encodeChunk(this.#open, 0, []));
    });
  }

  /** Runs the work and returns whether it succeeded; disk trouble is reported once and remembered. */
  #guard(place: Place, work: () => void): boolean {
    try {
      work();
    } catch (error) {
      this.#handleError(error, place);
      return false;
    }
    // Writing a segment proves that the disk works; any other write only clears trouble of its own kind.
    if (this.#trouble === undefined || (place !== 'segment' && place !== this.#trouble.place)) return true;
    this.#trouble = undefined;
    this.#options.report('History is recorded again: the disk can be written to.', 'well');
    return true;
  }

  /**
   * Runs a read; a file that turns out to be broken is put aside. When a block is closed during the read, the
   * sums of its day are deleted, so a failed read is tried a second time. A read error is reported by the
   * caller, because writing may still work.
   */
  read<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!isDamage(error) && !isDiskTrouble(error)) throw error;
    }
    try {
      return work();
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#replaceFile(error);
      return work();
    }
  }

  #handleError(error: unknown, place: Place): void {
    if (isDamage(error)) return this.#replaceFile(error);
    if (!isDiskTrouble(error)) throw error;
    const text = troubleText(error);
    if (this.#trouble === undefined)
      this.#options.report(
        `History cannot be written in ${this.#options.dataDir}: ${text}. Queries are answered, but are ` +
          'missing in the history until the disk can be written to again.',
        'trouble',
      );
    this.#trouble = { place: this.#trouble?.place === 'segment' ? 'segment' : place, text };
    this.#retryAtMs = this.#nowMs + retryAfterMs;
  }

  /** Puts the file aside and stores the rows of the journal in a new one. */
  #replaceFile(error: unknown): void {
    const { database, journal } = this.#parts;
    try {
      this.#writeJournal();
    } catch {
      this.#lost += this.#open.length - this.#journaled;
    }
    journal.close();
    database.close();
    this.#options.report(asideAlarm(database.path, error, this.#nowMs), 'damage');
    this.#parts = this.#load(this.#nowMs, true);
    this.#open = this.#parts.open;
    this.#journaled = this.#open.length;
    this.#settled = this.#open.length;
    this.#merger = new DayMerger(this.#parts.index);
    this.#sweep = new Sweep(this.#parts);
  }
}
