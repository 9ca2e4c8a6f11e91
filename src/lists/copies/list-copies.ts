// The last good copies of each list, each list in a folder of its own:
//
//   lists/7/12.zst    the text of version 12, compressed
//   lists/7/12.json   its description, written last: with it the copy exists
//   lists/7/back.json that an earlier version is in force, for as long as no newer one comes
//
// Nothing is ever written in place, so a program that is killed leaves what was there; what it had begun is
// taken away when the next copy is kept. Every reading checks the hash: a damaged copy is put aside, and the
// one before it takes its place.

import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { RuleReport } from '#policy';
import { describe, describedFile, readDescription, type CopyDescription } from './copy-description.ts';
import type { FetchedText } from '../fetch-outcome.ts';
import { copiesKept, damagedKept, descriptionBytesMax } from '../list-limits.ts';
import { fileState } from './file-state.ts';
import { draftEnding, isObject, readJson, writeWholeJson } from '#platform/files';

/** Found to be whole. */
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
  /** The version that is compiled; it is not dropped, however old it is. */
  readonly inForce: number | undefined;
}

const numbered = /^(\d{1,15})\.(?:zst|json)(\.damaged)?$/;

export class ListCopies {
  readonly #folder: string;

  /** `folder`: that of all lists; made when the first copy comes. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  #dir(listId: number): string {
    return join(this.#folder, String(listId));
  }

  #file(listId: number, version: number, ending: 'zst' | 'json'): string {
    return join(this.#dir(listId), `${version}.${ending}`);
  }

  /** Where a text that is being fetched goes; one at a time for each list. */
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

  /** The one in force: the newest, unless somebody went back. */
  current(listId: number): CopyDescription | undefined {
    return this.#inOrder(listId)[0];
  }

  /** The text in the draft becomes the newest copy and the current one. Throws when the disk refuses it. */
  keep(listId: number, { address, fetched, report, nowMs, inForce }: NewCopy): CopyDescription {
    const version = this.#lastVersion(listId) + 1;
    const description = describe(fetched, { version, address, fetchedMs: nowMs, report });
    renameSync(this.draftPath(listId), this.#file(listId, version, 'zst'));
    writeWholeJson(this.#file(listId, version, 'json'), describedFile(description));
    this.#clean(listId, inForce);
    return description;
  }

  /** False when there is no such copy, or it is damaged. Holds until the list changes again. */
  rollBack(listId: number, version: number): boolean {
    const newest = this.newest(listId);
    if (newest === undefined || this.find(listId, version) === undefined) return false;
    writeWholeJson(join(this.#dir(listId), 'back.json'), { from: newest.version, to: version });
    return true;
  }

  /** The copy that is asked for, or else the current one; when it is damaged, the next one that is whole. */
  findCurrent(listId: number, version?: number): FoundCopy | undefined {
    const asked = version === undefined ? undefined : this.find(listId, version);
    if (asked !== undefined) return asked;
    for (const copy of this.#inOrder(listId)) {
      const found = this.find(listId, copy.version);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Nothing when there is none. One that is not what was written is put aside. */
  find(listId: number, version: number): FoundCopy | undefined {
    const description = this.all(listId).find((copy) => copy.version === version);
    if (description === undefined) return undefined;
    const path = this.#file(listId, version, 'zst');
    const state = fileState(path, description);
    if (state === 'damaged') this.#putAside(listId, version);
    return state === 'whole' ? { description, path } : undefined;
  }

  /** How many copies of the list were found damaged and still lie there. */
  damaged(listId: number): number {
    return this.#names(listId).filter((name) => name.endsWith('.zst.damaged')).length;
  }

  /** Ids of all lists that have a folder, in no order. */
  lists(): readonly number[] {
    return namesIn(this.#folder)
      .filter((name) => /^\d{1,15}$/.test(name))
      .map(Number);
  }

  /** Of lists that were only tried out, when the program was ended meanwhile. */
  removeDrafts(): void {
    for (const name of namesIn(this.#folder))
      if (name.endsWith(draftEnding)) rmSync(join(this.#folder, name), { force: true });
  }

  remove(listId: number): void {
    rmSync(this.#dir(listId), { recursive: true, force: true });
  }

  #inOrder(listId: number): readonly CopyDescription[] {
    const all = this.all(listId);
    const back = readJson(join(this.#dir(listId), 'back.json'), descriptionBytesMax);
    // A newer copy than the one that was left ends the going back.
    const isBack = isObject(back) && back['from'] === all[0]?.version;
    // When the very one is gone, the next older one is what was meant.
    const at = all.findIndex(({ version }) => isBack && version <= Number(back['to']));
    return at < 0 ? all : [...all.slice(at), ...all.slice(0, at).toReversed()];
  }

  #names(listId: number): readonly string[] {
    return namesIn(this.#dir(listId));
  }

  /** Of whatever was ever begun, so that no number is used twice. */
  #lastVersion(listId: number): number {
    return Math.max(0, ...this.#names(listId).map((name) => Number(numbered.exec(name)?.[1] ?? 0)));
  }

  #putAside(listId: number, version: number): void {
    for (const ending of ['json', 'zst'] as const) {
      const path = this.#file(listId, version, ending);
      if (statSync(path, { throwIfNoEntry: false }) !== undefined) renameSync(path, `${path}.damaged`);
    }
  }

  /** Beyond what is kept, and what an end in the middle has left. */
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
