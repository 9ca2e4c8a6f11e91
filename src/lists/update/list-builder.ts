// Compiles the lists and puts the snapshot in force, one compilation at a time. A list with a suspicious
// change is held: its previous copy stays in force, and the other lists are compiled with that copy if they
// have changed. The hold ends when a person accepts the change or the list changes back. A failed compilation
// leaves the previous snapshot in force.

import { existsSync } from 'node:fs';
import type { Log } from '#platform/log';
import type { CompiledList, CompileOutcome, ListToCompile } from '../compile/compile-job.ts';
import type { CompileThreads } from '../compile/compile-threads.ts';
import type { ListCopies } from '../copies/list-copies.ts';
import { readBuildRecord, type BuildRecord } from '../snapshot/snapshot-file.ts';
import type { Suspicion } from '../copies/suspicion.ts';
import type { OnProgress } from './update-progress.ts';

export interface ListBuilderParts {
  readonly listsFolder: string;
  readonly snapshotPath: string;
  readonly copies: ListCopies;
  readonly compiler: Pick<CompileThreads, 'compile'>;
  /** The enabled lists. */
  readonly lists: () => readonly ListToCompile[];
  /** Resolves when the dns workers use it. */
  readonly useSnapshot: (snapshot: SharedArrayBuffer) => Promise<void>;
  /** Called after each compilation that did not fail, with all lists that are held now. */
  readonly onHeld: (held: readonly Suspicion[]) => Promise<void>;
  /** Called after each compilation, also a failed one. */
  readonly onBuilt: (result: BuildResult) => Promise<void>;
  readonly onProgress: OnProgress;
  readonly log: Log;
}

/** What is in force after a compilation. */
export interface BuildResult {
  readonly names: number;
  /** False when the compilation failed; the previous snapshot stays in force. */
  readonly isBuilt: boolean;
  /** Why the newest copies are not, or not all, in force. */
  readonly problem: string | undefined;
}

export class ListBuilder {
  readonly #parts: ListBuilderParts;
  /** Two buffers alternate: the one that the workers no longer use is filled next. */
  #inUse: SharedArrayBuffer | undefined;
  #spare: SharedArrayBuffer | undefined;
  #building: Promise<BuildResult> | undefined;
  #isStale = false;
  /** The last build did not finish: the workers possibly use an older snapshot than the one on disk. */
  #hasFailed = false;
  #isClosed = false;
  /** By list id, the version that a person has accepted. */
  readonly #accepted = new Map<number, number>();
  #held: ReadonlyMap<number, Suspicion> = new Map();

  constructor(parts: ListBuilderParts) {
    this.#parts = parts;
  }

  /** If a build is running, another one follows it; the promise waits for both. */
  build(): Promise<BuildResult> {
    this.#isStale = true;
    this.#building ??= this.#buildAll();
    return this.#building;
  }

  /** Builds only when the snapshot is out of date. */
  async buildIfBehind(): Promise<BuildResult> {
    if (this.#building !== undefined || this.#hasFailed || this.isBehind()) return this.build();
    const names = readBuildRecord(this.#parts.snapshotPath)?.names ?? 0;
    this.#parts.onProgress({ step: 'compiled', names, problem: undefined });
    return { names, isBuilt: true, problem: undefined };
  }

  held(listId: number): Suspicion | undefined {
    return this.#held.get(listId);
  }

  /** Accepts the current copy of the list; the caller then calls `build`. */
  accept(listId: number): void {
    const version = this.#parts.copies.current(listId)?.version;
    if (version !== undefined) this.#accepted.set(listId, version);
  }

  /** Whether the snapshot was compiled from other copies or other lists than the current ones. */
  isBehind(): boolean {
    const { lists, copies, snapshotPath } = this.#parts;
    const record = readBuildRecord(snapshotPath);
    const now = lists().map(({ id }) => ({ id, version: copies.current(id)?.version ?? 0 }));
    return record === undefined || !existsSync(snapshotPath) || !isCompiledFrom(record, now);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#building;
  }

  async #buildAll(): Promise<BuildResult> {
    let result: BuildResult = { names: 0, isBuilt: false, problem: 'The service is stopping.' };
    try {
      while (this.#isStale && !this.#isClosed) {
        this.#isStale = false;
        result = await this.#build();
      }
    } finally {
      // No await after the last check of #isStale: a later call of build() starts a new run.
      this.#building = undefined;
    }
    return result;
  }

  async #build(): Promise<BuildResult> {
    const { onProgress, log, onHeld, onBuilt } = this.#parts;
    this.#hasFailed = true;
    const outcome = await this.#compileTrusted();
    const held = outcome.kind === 'failed' ? undefined : outcome.held;
    if (held !== undefined) {
      this.#held = new Map(held.map((suspicion) => [suspicion.listId, suspicion]));
      await onHeld(held);
    }
    const result = await this.#deploy(outcome);
    this.#hasFailed = !result.isBuilt;
    if (outcome.kind === 'failed' && !this.#isClosed)
      log.error('The lists were not compiled; the previous snapshot stays in force', {
        reason: outcome.reason,
      });
    if (!this.#isClosed) await onBuilt(result);
    onProgress({ step: 'compiled', names: result.names, problem: result.problem });
    return result;
  }

  async #deploy(outcome: TrustedOutcome): Promise<BuildResult> {
    const { onProgress, log, snapshotPath, useSnapshot } = this.#parts;
    if (outcome.kind !== 'built')
      return {
        names: readBuildRecord(snapshotPath)?.names ?? 0,
        isBuilt: outcome.kind === 'kept',
        problem: outcome.reason,
      };
    const { names, buffer, lists } = outcome;
    onProgress({ step: 'deploying', names });
    await useSnapshot(buffer);
    this.#spare = this.#inUse;
    this.#inUse = buffer;
    log.info('Lists are compiled and in force', { names, lists: lists.length });
    this.#logRefused(lists);
    return { names, isBuilt: true, problem: outcome.held.length === 0 ? undefined : reasonOf(outcome.held) };
  }

  /** Each rule is valid, but all together would make every query too slow. */
  #logRefused(lists: readonly CompiledList[]): void {
    for (const { id, refused } of lists)
      if (refused > 0)
        this.#parts.log.warn(
          'Rules of a list are not in force, because all lists together have too many expressions, ' +
            'options or rules for one name; disable a list with many of them (docs/rules.md)',
          { list: id, rules: refused },
        );
  }

  #logDamaged(lists: readonly CompiledList[], before: ReadonlyMap<number, number>): void {
    for (const { id, damaged, report } of lists)
      if (damaged > (before.get(id) ?? 0))
        this.#parts.log.error(
          report === undefined
            ? 'The stored copies of a list are damaged; the list blocks nothing until it is fetched again'
            : 'The stored copy of a list is damaged; an older copy is used until it is fetched again',
          { list: id },
        );
  }

  /** If other lists have changed too, compiles again with the old copies of the suspicious lists. */
  async #compileTrusted(): Promise<TrustedOutcome> {
    const lists = this.#parts.lists();
    const outcome = await this.#compile(lists);
    if (outcome.kind === 'failed') return outcome;
    if (outcome.kind === 'built') return { ...outcome, held: [] };
    const held = outcome.suspicions;
    const record = readBuildRecord(this.#parts.snapshotPath);
    const before = new Map(record?.lists.map(({ id, version }) => [id, version]));
    const versionOf = (id: number): number | undefined =>
      held.some(({ listId }) => listId === id) ? before.get(id) : undefined;
    const kept: TrustedOutcome = { kind: 'kept', held, reason: outcome.reason };
    const now = outcome.lists.map(({ id, version }) => ({ id, version: versionOf(id) ?? version }));
    if (record === undefined || (isCompiledFrom(record, now) && existsSync(this.#parts.snapshotPath)))
      return kept;
    const older = lists.map((list) => ({ ...list, version: versionOf(list.id) }));
    // Without a previous snapshot, a suspicious list is better than none.
    const isLost = !existsSync(this.#parts.snapshotPath);
    const rest = await this.#compile(older, isLost ? held.map(({ listId }) => listId) : []);
    if (rest.kind === 'held') return kept;
    return rest.kind === 'failed' ? rest : { ...rest, held };
  }

  async #compile(lists: readonly ListToCompile[], trusted: readonly number[] = []): Promise<CompileOutcome> {
    const { listsFolder, snapshotPath, compiler, onProgress } = this.#parts;
    onProgress({ step: 'compiling', lists: lists.length });
    const buffer = this.#spare;
    this.#spare = undefined;
    const accepted = [...trusted, ...lists.map(({ id }) => id).filter((id) => this.#isAccepted(id))];
    const damagedBefore = new Map(lists.map(({ id }) => [id, this.#parts.copies.damaged(id)]));
    const outcome = await compiler.compile({ listsFolder, snapshotPath, lists, accepted, buffer });
    if (outcome.kind !== 'failed') this.#logDamaged(outcome.lists, damagedBefore);
    if (outcome.kind !== 'built') this.#spare = buffer;
    return outcome;
  }

  /** Only the accepted version, not later ones. */
  #isAccepted(listId: number): boolean {
    const version = this.#accepted.get(listId);
    return version !== undefined && this.#parts.copies.current(listId)?.version === version;
  }
}

type TrustedOutcome =
  | (Extract<CompileOutcome, { readonly kind: 'built' }> & { readonly held: readonly Suspicion[] })
  /** The previous snapshot stays in force. */
  | { readonly kind: 'kept'; readonly held: readonly Suspicion[]; readonly reason: string }
  | Extract<CompileOutcome, { readonly kind: 'failed' }>;

function reasonOf(held: readonly Suspicion[]): string {
  return held.map(({ text }) => text).join(' ');
}

type CopyKey = Pick<CompiledList, 'id' | 'version'>;

/** Ignores lists without a copy (version 0). */
function isCompiledFrom(record: BuildRecord, lists: readonly CopyKey[]): boolean {
  const before = new Map(record.lists.filter(hasCopy).map(({ id, version }) => [id, version]));
  const now = lists.filter(hasCopy);
  return before.size === now.length && now.every(({ id, version }) => before.get(id) === version);
}

function hasCopy({ version }: CopyKey): boolean {
  return version > 0;
}
