// Clients that no group protects: they are in none, their memberships have ended, or all their groups are
// disabled. No rule and no list applies to them, which is rarely intended, so one diagnosis message names
// them. A group outside its schedules does not count: it comes back by itself.

import type { MessageBoard, ReadModel } from '#store/database';
import type { Group, StoredClient } from '#store/database/entities';

export interface UnprotectedParts {
  readonly read: Pick<ReadModel, 'clients' | 'groups'>;
  readonly messages: Pick<MessageBoard, 'put' | 'clear'>;
  readonly nowSeconds: () => number;
}

const topic = 'clients without a group';
const shownClients = 5;

export class UnprotectedClients {
  readonly #parts: UnprotectedParts;
  /** The current message; undefined until the first check, because an earlier run may have left one. */
  #message: string | undefined;

  constructor(parts: UnprotectedParts) {
    this.#parts = parts;
  }

  /** To be called when clients or groups have changed, and when a membership ends. */
  check(): void {
    const { read, messages, nowSeconds } = this.#parts;
    const enabled = new Set(read.groups.filter((group) => group.enabled).map(({ id }) => id));
    const now = nowSeconds();
    const clients = read.clients.filter((client) => isUnprotected(client, enabled, now));
    const message = messageAbout(clients, read.groups.withId(0));
    if (message === this.#message) return;
    this.#message = message;
    const written = message === '' ? messages.clear(topic, '') : messages.put(topic, '', 'CLIENT', message);
    // The board keeps in memory what it cannot write; the service ends when the database is closed.
    written.catch(() => undefined);
  }
}

function isUnprotected(
  { groups, group_expiry }: StoredClient,
  enabled: ReadonlySet<Group['id']>,
  nowSeconds: number,
): boolean {
  return !groups.some((id) => enabled.has(id) && !((group_expiry[String(id)] ?? Infinity) <= nowSeconds));
}

function messageAbout(clients: readonly StoredClient[], usual: Group | undefined): string {
  const [first] = clients;
  if (first === undefined) return '';
  const names = clients.slice(0, shownClients).map(nameOf).join(', ');
  const more = clients.length > shownClients ? ` and ${clients.length - shownClients} more` : '';
  const are = clients.length === 1 ? 'The client is' : `${clients.length} clients are`;
  return (
    `${are} in no group that is in force, so no rule and no list applies: ${names}${more}. For example: ` +
    `${howToProtect(first.client, usual)}.`
  );
}

/** The command that puts a client into the default group, which may have been renamed. */
export function howToProtect(client: string, usual: Pick<Group, 'name'> | undefined): string {
  return `sluice clients set ${client} --group ${JSON.stringify(usual?.name ?? 'Default')}`;
}

function nameOf({ client, comment }: StoredClient): string {
  return comment === null ? client : `${client} (${comment})`;
}
