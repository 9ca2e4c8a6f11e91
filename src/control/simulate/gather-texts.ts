// Gets the texts of lists that a simulation adds and that are not compiled. A subscribed list has a copy on
// disk; any other is fetched like a subscribed one, into a draft file. All are fetched in parallel, and one
// failure fails all: a simulation without one of its lists would be misleading.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fetchList, nothingKnown, type FetchOptions } from '#lists/fetch';
import { ListCopies, listsFolderOf } from '#lists/copies';
import { readBuildRecord, snapshotFile } from '#lists/snapshot';
import { fetchLimits, type FetchLimits, withoutSecrets } from '#lists';
import { draftEnding } from '#platform/files';
import type { StoredList } from '#store/database/entities';
import type { ListText, Refused } from './job.ts';
import { errorText } from '#platform/tasks';

export interface GatherOptions {
  readonly dataDir: string;
  readonly fetch: Omit<FetchOptions, 'signal'>;
  /** Shorter than for subscribed lists, because a person waits. */
  readonly limits: Partial<FetchLimits>;
  readonly signal: AbortSignal;
}

export class TextGatherer {
  readonly #options: GatherOptions;
  readonly #folder: string;

  constructor(options: GatherOptions) {
    this.#options = options;
    this.#folder = listsFolderOf(options.dataDir);
  }

  /** Never rejects. The caller removes the drafts. */
  async gather(
    lists: readonly StoredList[],
    isSubscribed: (list: StoredList) => boolean,
  ): Promise<readonly ListText[] | Refused> {
    const record = readBuildRecord(snapshotFile(this.#options.dataDir));
    const compiled = new Set(record?.lists.filter(({ version }) => version > 0).map(({ id }) => id));
    const wanted = lists.filter((list) => !isSubscribed(list) || !compiled.has(list.id));
    const copies = new ListCopies(this.#folder);
    const texts = await Promise.all(
      wanted.map(async (list, at) => {
        const isKept = isSubscribed(list) && copies.current(list.id) !== undefined;
        return isKept ? textOf(list) : this.#fetch(list, at);
      }),
    );
    const good = texts.flatMap((text) => ('problem' in text ? [] : [text]));
    const [refused] = texts.flatMap((text) => ('problem' in text ? [text] : []));
    if (refused !== undefined) removeDrafts(good);
    return refused ?? good;
  }

  async #fetch(list: StoredList, at: number): Promise<ListText | Refused> {
    const { fetch, limits, signal } = this.#options;
    const path = join(this.#folder, `simulated-${at}${draftEnding}`);
    const problem = makeFolder(this.#folder);
    if (problem !== undefined) return { problem };
    const fetched = await fetchList(
      { address: list.address, rights: list.added_with, known: nothingKnown, draftPath: path },
      { ...fetch, signal, limits: { ...fetchLimits, ...limits } },
    );
    if (fetched.kind === 'changed')
      return { ...textOf(list), draft: { path, unpackedBytes: fetched.unpackedBytes } };
    const reason = fetched.kind === 'failed' ? fetched.reason : 'It could not be fetched.';
    const { name } = textOf(list);
    return { problem: reason.startsWith(name) ? reason : `${name}: ${reason}` };
  }
}

function textOf({ id, type, comment, address }: StoredList): ListText {
  return { id, type, name: comment ?? withoutSecrets(address) };
}

export function removeDrafts(texts: readonly ListText[]): void {
  for (const { draft } of texts) if (draft !== undefined) rmSync(draft.path, { force: true });
}

function makeFolder(folder: string): string | undefined {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return undefined;
  } catch (error) {
    const reason = errorText(error);
    return `Lists cannot be fetched into ${folder}: ${reason}. Check the free space and the permissions.`;
  }
}
