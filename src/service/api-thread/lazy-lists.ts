// Lists, once they are needed: their machinery is loaded when DNS is answered or somebody asks about them,
// because a service that answers no DNS has nobody to block anything for. By itself it fetches only while
// DNS is on.

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
  /** It fetches by itself. */
  #isRunning = false;

  constructor(data: ApiThreadData, parts: ListParts) {
    this.#data = data;
    this.#parts = parts;
    parts.storage.subscribe((changes) => void this.#follow(changes));
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

  /** Once: whoever comes later gets the same one. */
  service(): Promise<ListService> {
    this.#service ??= this.#create();
    return this.#service;
  }

  async #create(): Promise<ListService> {
    const { createLists } = await import('./lists.ts');
    return createLists(this.#data, this.#parts);
  }

  /** Before it runs there is nothing to tell it: it begins with all lists that there are. */
  async #follow(changes: readonly Changed[]): Promise<void> {
    const service = this.#isRunning ? await this.#service : undefined;
    for (const { entity, before, after, isReport } of changes)
      if (entity === 'list' && isReport !== true) service?.follow(asList(before), asList(after));
  }
}

const isDnsOn = ({ current }: LiveSettings): boolean => current.dns.listen !== '';

// What is recorded for an entity is one of its items.
const asList = (item: unknown): StoredList | null => item as StoredList | null;
