// Compiles the copies of all lists into one snapshot and writes it to disk. Reads one list at a time, in
// parts, so that no text is in memory as a whole. An error or a suspicious change leaves the old snapshot
// file in place.

import { openSnapshot, RuleScanner, SnapshotBuilder, type PatternCheck, type RuleSink } from '#policy';
import type { CompiledList, CompileOutcome, CompileRequest, ListToCompile } from './compile-job.ts';
import { ListCopies } from '../copies/list-copies.ts';
import { readBuildRecord, writeSnapshotFile, type BuildRecord } from '../snapshot/snapshot-file.ts';
import { readParts } from '../copies/text-parts.ts';
import { suspicionsOf, type Suspicion } from '../copies/suspicion.ts';
import { errorText } from '#platform/tasks';

export interface CompileTools {
  readonly steadyMs: () => number;
  readonly memoryBytes: () => number;
  readonly checkPattern: PatternCheck;
}

/** Never throws. */
export async function compileLists(request: CompileRequest, tools: CompileTools): Promise<CompileOutcome> {
  try {
    return await new Compilation(request, tools).run();
  } catch (error) {
    // Out of memory or a disk error.
    const text = errorText(error);
    const advice = /^(?:ENOSPC|EDQUOT|EROFS)\b/.test(text) ? ' Free space in the data folder.' : '';
    return {
      kind: 'failed',
      reason: `The lists could not be compiled: ${text}. The policy in force stays.${advice}`,
    };
  }
}

class Compilation {
  readonly #request: CompileRequest;
  readonly #tools: CompileTools;
  readonly #copies: ListCopies;
  readonly #before: BuildRecord | undefined;
  readonly #builder: SnapshotBuilder;
  readonly #startedMs: number;
  readonly #memoryBefore: number;
  #memoryPeak: number;

  constructor(request: CompileRequest, tools: CompileTools) {
    this.#request = request;
    this.#tools = tools;
    this.#startedMs = tools.steadyMs();
    this.#memoryBefore = tools.memoryBytes();
    this.#memoryPeak = this.#memoryBefore;
    this.#copies = new ListCopies(request.listsFolder);
    this.#before = readBuildRecord(request.snapshotPath);
    this.#builder = new SnapshotBuilder(
      request.buffer === undefined ? { expectedNames: this.#estimateNames() } : { buffer: request.buffer },
    );
  }

  async run(): Promise<CompileOutcome> {
    const scanned: CompiledList[] = [];
    for (const list of this.#request.lists) scanned.push(await this.#scan(list));
    const counts = this.#builder.counts();
    const lists = scanned.map((list, at) => ({
      ...list,
      duplicates: counts[at]?.duplicates ?? 0,
      refused: counts[at]?.refused ?? 0,
    }));
    const suspicions = this.#suspicions(lists);
    if (suspicions.length > 0) {
      const reason = suspicions.map(({ text }) => text).join(' ');
      return { kind: 'held', reason, suspicions, lists };
    }
    return this.#finish(lists);
  }

  /** Lists overlap, so the largest list is a better estimate than the sum. A low estimate only costs time. */
  #estimateNames(): number {
    const entries = this.#request.lists.map(({ id }) => this.#copies.current(id)?.report.entries ?? 0);
    return this.#before?.names ?? Math.max(0, ...entries);
  }

  async #scan({ id, type, version }: ListToCompile): Promise<CompiledList> {
    const sink = this.#builder.list(id);
    const copy = this.#copies.findCurrent(id, version);
    const found = { id, duplicates: 0, refused: 0, damaged: this.#copies.damaged(id) };
    if (copy === undefined) return { ...found, version: 0, fetchedMs: 0, report: undefined };
    const { checkPattern } = this.#tools;
    const scanner = new RuleScanner(type === 'allow' ? allowing(sink) : sink, { checkPattern });
    await readParts(copy.path, copy.description.unpackedBytes, (part) => scanner.feed(part));
    const report = scanner.finish();
    this.#measure();
    return { ...found, version: copy.description.version, fetchedMs: copy.description.fetchedMs, report };
  }

  #suspicions(lists: readonly CompiledList[]): readonly Suspicion[] {
    const before = new Map(this.#before?.lists.map(({ id, entries }) => [id, entries]));
    const names = new Map(this.#request.lists.map(({ id, name }) => [id, name]));
    const sizes = lists.map(({ id, report }) => ({
      id,
      name: names.get(id) ?? '',
      before: before.get(id),
      after: report?.entries ?? 0,
    }));
    return suspicionsOf(sizes, this.#request.accepted);
  }

  #finish(lists: readonly CompiledList[]): CompileOutcome {
    const { names } = this.#builder;
    const buffer = this.#builder.finish();
    const snapshot = buffer === undefined ? undefined : openSnapshot(buffer, true);
    if (buffer === undefined || snapshot === undefined || typeof snapshot === 'string')
      return {
        kind: 'failed',
        reason: 'The lists have more names than a snapshot can hold; remove or disable some lists.',
      };
    const entries = lists.map(({ id, version, report, duplicates }) => ({
      id,
      version,
      entries: report?.entries ?? 0,
      duplicates,
    }));
    writeSnapshotFile(this.#request.snapshotPath, snapshot.bytes(), { names, lists: entries });
    this.#measure();
    return {
      kind: 'built',
      buffer,
      names,
      snapshotBytes: snapshot.sizeBytes,
      lists,
      tookMs: this.#tools.steadyMs() - this.#startedMs,
      memoryBeforeBytes: this.#memoryBefore,
      memoryPeakBytes: this.#memoryPeak,
    };
  }

  #measure(): void {
    this.#memoryPeak = Math.max(this.#memoryPeak, this.#tools.memoryBytes());
  }
}

/** Turns every rule into an allow rule. The scanner reuses one rule object, so changing it here is safe. */
export function allowing(sink: RuleSink): RuleSink {
  return {
    onRule: (rule) => {
      rule.action = 'allow';
      sink.onRule(rule);
    },
  };
}
