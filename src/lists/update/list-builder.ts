// Compiles the lists and puts the result in force, one compilation at a time. A list whose change is too
// large to be believed is held: it stays as it is in force, and so does everything when nothing else has
// changed; otherwise the others are compiled with the old copy of it. A person accepts the change, or it goes
// away by itself when the list does. Whatever fails leaves what was compiled before.

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
  /** Those that are enabled. */
  readonly lists: () => readonly ListToCompile[];
  /** Resolves when the dns workers answer by it. */
  readonly useSnapshot: (snapshot: SharedArrayBuffer) => Promise<void>;
  /** Called after each compilation that came to an end, with all lists that are held now. */
  readonly onHeld: (held: readonly Suspicion[]) => Promise<void>;
  /** Called after each one, whatever came of it. */
  readonly onBuilt: (result: BuildResult) => Promise<void>;
  readonly onProgress: OnProgress;
  readonly log: Log;
}

/** What is in force after a compilation. */
export interface BuildResult {
  readonly names: number;
  /** False when the compilation failed, and all that was in force stays. */
  readonly isBuilt: boolean;
  /** Why it is not, or not wholly, what was fetched. */
  readonly problem: string | undefined;
}

export class ListBuilder {
  readonly #parts: ListBuilderParts;
  /** Buffers take turns: the one that the workers have left is filled next. */
  #inUse: SharedArrayBuffer | undefined;
  #spare: SharedArrayBuffer | undefined;
  #building: Promise<BuildResult> | undefined;
  #isStale = false;
  /** The last one did not come to its end: the workers may not have what is on the disk. */
  #hasFailed = false;
  #isClosed = false;
  /** The version of each list that a person has accepted, whatever its size. */
  readonly #accepted = new Map<number, number>();
  #held: ReadonlyMap<number, Suspicion> = new Map();

  constructor(parts: ListBuilderParts) {
    this.#parts = parts;
  }

  /** What changes while one is under way is compiled after it, and waited for. */
  build(): Promise<BuildResult> {
    this.#isStale = true;
    this.#building ??= this.#buildAll();
    return this.#building;
  }

  /** The same, unless what is in force is what there is. */
  async buildIfBehind(): Promise<BuildResult> {
    if (this.#building !== undefined || this.#hasFailed || this.isBehind()) return this.build();
    const names = readBuildRecord(this.#parts.snapshotPath)?.names ?? 0;
    this.#parts.onProgress({ step: 'compiled', names, problem: undefined });
    return { names, isBuilt: true, problem: undefined };
  }

  held(listId: number): Suspicion | undefined {
    return this.#held.get(listId);
  }

  /** The current copy of the list counts as good from now on; to be followed by a build. */
  accept(listId: number): void {
    const version = this.#parts.copies.current(listId)?.version;
    if (version !== undefined) this.#accepted.set(listId, version);
  }

  /** Whether what is in force was made of other copies, or other lists, than there are. */
  isBehind(): boolean {
    const { lists, copies, snapshotPath } = this.#parts;
    const record = readBuildRecord(snapshotPath);
    const now = lists().map(({ id }) => ({ id, version: copies.current(id)?.version ?? 0 }));
    return record === undefined || !existsSync(snapshotPath) || !isMadeOf(record, now);
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
      // Without a pause after the last look: whoever comes later finds nothing running and begins anew.
      this.#building = undefined;
    }
    return result;
  }

  async #build(): Promise<BuildResult> {
    const { onProgress, log, onHeld, onBuilt } = this.#parts;
    this.#hasFailed = true;
    const outcome = await this.#compileBelievable();
    const held = outcome.kind === 'failed' ? undefined : outcome.held;
    if (held !== undefined) {
      this.#held = new Map(held.map((suspicion) => [suspicion.listId, suspicion]));
      await onHeld(held);
    }
    const result = await this.#deploy(outcome);
    this.#hasFailed = !result.isBuilt;
    if (outcome.kind === 'failed' && !this.#isClosed)
      log.error('The lists were not compiled; what was compiled before stays in force', {
        reason: outcome.reason,
      });
    if (!this.#isClosed) await onBuilt(result);
    onProgress({ step: 'compiled', names: result.names, problem: result.problem });
    return result;
  }

  async #deploy(outcome: Believable): Promise<BuildResult> {
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
    this.#sayRefused(lists);
    return { names, isBuilt: true, problem: outcome.held.length === 0 ? undefined : reasonOf(outcome.held) };
  }

  /** Each line is fine by itself; together they are more than every query can be held against. */
  #sayRefused(lists: readonly CompiledList[]): void {
    for (const { id, refused } of lists)
      if (refused > 0)
        this.#parts.log.warn(
          'Rules of a list are not in force, because all lists together have too many expressions or ' +
            'options; leave out a list with many of them (docs/rules.md)',
          { list: id, rules: refused },
        );
  }

  #sayDamaged(lists: readonly CompiledList[], before: ReadonlyMap<number, number>): void {
    for (const { id, damaged, report } of lists)
      if (damaged > (before.get(id) ?? 0))
        this.#parts.log.error(
          report === undefined
            ? 'The stored copies of a list are damaged, and it blocks nothing until it is fetched again'
            : 'The stored copy of a list is damaged, and the one before it is used until it is fetched again',
          { list: id },
        );
  }

  /** Compiles, and once more with the old copies of what cannot be believed when others have changed too. */
  async #compileBelievable(): Promise<Believable> {
    const lists = this.#parts.lists();
    const outcome = await this.#compile(lists);
    if (outcome.kind === 'failed') return outcome;
    if (outcome.kind === 'built') return { ...outcome, held: [] };
    const held = outcome.suspicions;
    const record = readBuildRecord(this.#parts.snapshotPath);
    const before = new Map(record?.lists.map(({ id, version }) => [id, version]));
    const versionOf = (id: number): number | undefined =>
      held.some(({ listId }) => listId === id) ? before.get(id) : undefined;
    const kept: Believable = { kind: 'kept', held, reason: outcome.reason };
    const now = outcome.lists.map(({ id, version }) => ({ id, version: versionOf(id) ?? version }));
    if (record === undefined || (isMadeOf(record, now) && existsSync(this.#parts.snapshotPath))) return kept;
    const older = lists.map((list) => ({ ...list, version: versionOf(list.id) }));
    // With nothing in force that could stay, a list that cannot be believed is better than none at all.
    const isLost = !existsSync(this.#parts.snapshotPath);
    const rest = await this.#compile(older, isLost ? held.map(({ listId }) => listId) : []);
    if (rest.kind === 'held') return kept;
    return rest.kind === 'failed' ? rest : { ...rest, held };
  }

  async #compile(lists: readonly ListToCompile[], unasked: readonly number[] = []): Promise<CompileOutcome> {
    const { listsFolder, snapshotPath, compiler, onProgress } = this.#parts;
    onProgress({ step: 'compiling', lists: lists.length });
    const buffer = this.#spare;
    this.#spare = undefined;
    const accepted = [...unasked, ...lists.map(({ id }) => id).filter((id) => this.#isAccepted(id))];
    const damagedBefore = new Map(lists.map(({ id }) => [id, this.#parts.copies.damaged(id)]));
    const outcome = await compiler.compile({ listsFolder, snapshotPath, lists, accepted, buffer });
    if (outcome.kind !== 'failed') this.#sayDamaged(outcome.lists, damagedBefore);
    if (outcome.kind !== 'built') this.#spare = buffer;
    return outcome;
  }

  /** Holds for the very copy that was accepted. */
  #isAccepted(listId: number): boolean {
    const version = this.#accepted.get(listId);
    return version !== undefined && this.#parts.copies.current(listId)?.version === version;
  }
}

type Believable =
  | (Extract<CompileOutcome, { readonly kind: 'built' }> & { readonly held: readonly Suspicion[] })
  /** What was in force stays as a whole. */
  | { readonly kind: 'kept'; readonly held: readonly Suspicion[]; readonly reason: string }
  | Extract<CompileOutcome, { readonly kind: 'failed' }>;

const reasonOf = (held: readonly Suspicion[]): string => held.map(({ text }) => text).join(' ');

type Made = Pick<CompiledList, 'id' | 'version'>;

/** Lists that have no copy (version 0) make no difference. */
const isMadeOf = (record: BuildRecord, lists: readonly Made[]): boolean => {
  const before = new Map(record.lists.filter(hasCopy).map(({ id, version }) => [id, version]));
  const now = lists.filter(hasCopy);
  return before.size === now.length && now.every(({ id, version }) => before.get(id) === version);
};

const hasCopy = ({ version }: Made): boolean => version > 0;
