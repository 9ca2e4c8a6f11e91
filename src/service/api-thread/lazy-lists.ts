// Loads the list service on demand: when DNS is on, or when an API request needs it. Without DNS there is
// nothing to block, so scheduled updates run only while DNS is on.

import type { LiveUpdate } from '#api/handlers';
import type { ListService } from '#lists/update';
import type { LiveSettings } from '#store/settings';
import type { Changed } from '#store/database';
import type { StoredList } from '#store/database/entities';
import type { ApiThreadData } from '../messages/messages.ts';
import type { ListParts } from './lists.ts';

export class LazyLists {
  readonly #data: ApiThreadData;
  readonly #parts: ListParts;
  #service: Promise<ListService> | undefined;
  #isStarted = false;
  /** Whether scheduled updates run. */
  #isRunning = false;

  constructor(data: ApiThreadData, parts: ListParts) {
    this.#data = data;
    this.#parts = parts;
    parts.storage.subscribe((changes) => void this.#onChanges(changes));
    parts.settings.subscribe(() => this.#startIfNeeded());
  }

  start(): void {
    this.#isStarted = true;
    this.#startIfNeeded();
  }

  async update(): Promise<LiveUpdate> {
    const { updateLists } = await import('./lists.ts');
    return updateLists(await this.service(), this.#parts.storage.read);
  }

  async close(): Promise<void> {
    await (await this.#service)?.close();
  }

  #startIfNeeded(): void {
    if (!this.#isStarted || this.#isRunning || !isDnsOn(this.#parts.settings)) return;
    this.#isRunning = true;
    void this.service().then((service) => service.start());
  }

  /** Created on the first call. */
  service(): Promise<ListService> {
    this.#service ??= this.#create();
    return this.#service;
  }

  async #create(): Promise<ListService> {
    const { createLists } = await import('./lists.ts');
    return createLists(this.#data, this.#parts);
  }

  /** Before it runs the service needs no changes: it starts with all stored lists. */
  async #onChanges(changes: readonly Changed[]): Promise<void> {
    const service = this.#isRunning ? await this.#service : undefined;
    for (const { entity, before, after, isReport } of changes)
      if (entity === 'list' && isReport !== true) service?.applyChange(asList(before), asList(after));
  }
}

function isDnsOn({ current }: LiveSettings): boolean {
  return current.dns.listen !== '';
}

function asList(item: unknown): StoredList | null {
  // A change of the entity `list` holds stored lists.
  return item as StoredList | null;
}
