// The last good copies of each list, one folder per list:
//
//   lists/7/12.zst    the text of version 12, compressed
//   lists/7/12.json   its description, written last: it makes the copy exist
//   lists/7/back.json a rollback: an earlier version is in force until a newer one is stored
//
// No file is changed in place, so killing the program leaves the old copies whole; the next copy that is
// stored removes incomplete files. Every read checks the hash: a damaged copy is renamed to *.damaged and the
// next older copy is used.

import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { RuleReport } from '#policy';
import { describe, descriptionJson, readDescription, type CopyDescription } from './copy-description.ts';
import type { FetchedText } from '../fetch-outcome.ts';
import { copiesKept, damagedKept, maxDescriptionBytes } from '../list-limits.ts';
import { fileState } from './file-state.ts';
import { draftEnding, isObject, readJson, writeWholeJson } from '#platform/files';

/** A copy whose hash was checked. */
export interface FoundCopy {
  readonly description: CopyDescription;
  /** Compressed with zstd. */
  readonly path: string;
}

export interface NewCopy {
  readonly address: string;
  readonly fetched: FetchedText;
  readonly report: RuleReport;
  readonly nowMs: number;
  /** The version in the current snapshot; it is kept however old it is. */
  readonly inForce: number | undefined;
}

const numbered = /^(\d{1,15})\.(?:zst|json)(\.damaged)?$/;

export class ListCopies {
  readonly #folder: string;

  /** `folder` holds all lists; the first copy creates it. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  #dir(listId: number): string {
    return join(this.#folder, String(listId));
  }

  #file(listId: number, version: number, ending: 'zst' | 'json'): string {
    return join(this.#dir(listId), `${version}.${ending}`);
  }

  /** The file for a download in progress; one per list at a time. */
  draftPath(listId: number): string {
    mkdirSync(this.#dir(listId), { recursive: true, mode: 0o700 });
    return join(this.#dir(listId), `fetched${draftEnding}`);
  }

  /** Newest first. */
  all(listId: number): readonly CopyDescription[] {
    const names = this.#names(listId);
    return names
      .filter((name) => name.endsWith('.json') && numbered.test(name))
      .flatMap((name) => readDescription(join(this.#dir(listId), name)) ?? [])
      .filter(({ version }) => names.includes(`${version}.zst`))
      .toSorted((a, b) => b.version - a.version);
  }

  newest(listId: number): CopyDescription | undefined {
    return this.all(listId)[0];
  }

  /** The newest copy, or the one that the user rolled back to. */
  current(listId: number): CopyDescription | undefined {
    return this.#inOrder(listId)[0];
  }

  /** The draft becomes the newest copy and the current one. Throws when it cannot be written. */
  keep(listId: number, { address, fetched, report, nowMs, inForce }: NewCopy): CopyDescription {
    const version = this.#lastVersion(listId) + 1;
    const description = describe(fetched, { version, address, fetchedMs: nowMs, report });
    renameSync(this.draftPath(listId), this.#file(listId, version, 'zst'));
    writeWholeJson(this.#file(listId, version, 'json'), descriptionJson(description));
    this.#clean(listId, inForce);
    return description;
  }

  /** False when the copy is missing or damaged. The rollback ends when the list changes again. */
  rollBack(listId: number, version: number): boolean {
    const newest = this.newest(listId);
    if (newest === undefined || this.find(listId, version) === undefined) return false;
    writeWholeJson(join(this.#dir(listId), 'back.json'), { from: newest.version, to: version });
    return true;
  }

  /** The given version, else the current copy, else the next undamaged one. */
  findCurrent(listId: number, version?: number): FoundCopy | undefined {
    const requested = version === undefined ? undefined : this.find(listId, version);
    if (requested !== undefined) return requested;
    for (const copy of this.#inOrder(listId)) {
      const found = this.find(listId, copy.version);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Undefined when the copy is missing or damaged; a damaged one is renamed. */
  find(listId: number, version: number): FoundCopy | undefined {
    const description = this.all(listId).find((copy) => copy.version === version);
    if (description === undefined) return undefined;
    const path = this.#file(listId, version, 'zst');
    const state = fileState(path, description);
    if (state === 'damaged') this.#renameDamaged(listId, version);
    return state === 'whole' ? { description, path } : undefined;
  }

  /** Number of damaged copies of the list that are still on disk. */
  damaged(listId: number): number {
    return this.#names(listId).filter((name) => name.endsWith('.zst.damaged')).length;
  }

  /** Ids of all lists that have a folder, unsorted. */
  lists(): readonly number[] {
    return namesIn(this.#folder)
      .filter((name) => /^\d{1,15}$/.test(name))
      .map(Number);
  }

  /** Removes what simulations left behind when the program was killed while they ran. */
  removeDrafts(): void {
    for (const name of namesIn(this.#folder))
      if (name.endsWith(draftEnding)) rmSync(join(this.#folder, name), { force: true });
  }

  remove(listId: number): void {
    rmSync(this.#dir(listId), { recursive: true, force: true });
  }

  #inOrder(listId: number): readonly CopyDescription[] {
    const all = this.all(listId);
    const back = readJson(join(this.#dir(listId), 'back.json'), maxDescriptionBytes);
    // A copy newer than the one that was current then ends the rollback.
    const isRolledBack = isObject(back) && back['from'] === all[0]?.version;
    // If the target of the rollback is gone, the next older copy replaces it.
    const at = all.findIndex(({ version }) => isRolledBack && version <= Number(back['to']));
    return at < 0 ? all : [...all.slice(at), ...all.slice(0, at).toReversed()];
  }

  #names(listId: number): readonly string[] {
    return namesIn(this.#dir(listId));
  }

  /** Counts incomplete and damaged copies too, so that no version number is used twice. */
  #lastVersion(listId: number): number {
    return Math.max(0, ...this.#names(listId).map((name) => Number(numbered.exec(name)?.[1] ?? 0)));
  }

  #renameDamaged(listId: number, version: number): void {
    for (const ending of ['json', 'zst'] as const) {
      const path = this.#file(listId, version, ending);
      if (statSync(path, { throwIfNoEntry: false }) !== undefined) renameSync(path, `${path}.damaged`);
    }
  }

  /** Removes copies above the limits, and incomplete files. */
  #clean(listId: number, inForce: number | undefined): void {
    const kept = this.all(listId)
      .slice(0, copiesKept)
      .map(({ version }) => version);
    const damaged = this.#names(listId)
      .filter((name) => name.endsWith('.zst.damaged'))
      .map((name) => Number.parseInt(name, 10))
      .toSorted((a, b) => b - a)
      .slice(0, damagedKept);
    for (const name of this.#names(listId)) {
      const match = numbered.exec(name);
      const version = Number(match?.[1]);
      const isKept = match?.[2] === undefined ? kept.includes(version) : damaged.includes(version);
      const isWanted = match === null ? name === 'back.json' : isKept || version === inForce;
      if (!isWanted) rmSync(join(this.#dir(listId), name), { force: true, recursive: true });
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
