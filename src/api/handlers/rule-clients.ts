// Own rules for some clients (`;client=`), as far as other entities matter: the groups that such a rule gets
// when the request names none, ids that no client has, and how many clients all rules may name. The rules are
// in their stored form.

import { fail, limits, type Failure } from '#contract';
import type { Collection, ReadModel } from '#store/database';
import type { DomainKey, StoredDomain } from '#store/database/entities';

const defaultGroups: readonly number[] = [0];

/** The clients that the rule names, as stored: `!` before exceptions only; undefined without any. */
function clientsText(domain: string): string | undefined {
  return /;client=([^;]*)/u.exec(domain)?.[1];
}

/**
 * A rule for one device shall apply to it in whichever group it is, so it gets all groups of today. Any other
 * rule gets the default group, also one that only excepts clients.
 */
export function groupsByDefault({ groups }: Pick<ReadModel, 'groups'>, domain: string): readonly number[] {
  const text = clientsText(domain);
  return text === undefined || text.startsWith('!')
    ? defaultGroups
    : groups.filter(() => true).map(({ id }) => id);
}

/** A rule for an id that no client has is stored with a warning: the client may be restored by an undo. */
export function withClientWarnings<K extends DomainKey & { readonly warning: string | undefined }>(
  { clients }: Pick<ReadModel, 'clients'>,
  keys: readonly K[],
): readonly K[] {
  if (keys.every(({ domain }) => clientsText(domain) === undefined)) return keys;
  const known = new Set(clients.filter(() => true).map(({ id }) => String(id)));
  return keys.map((key) => {
    const unknown = idsIn(key.domain).find((id) => !known.has(id));
    return unknown === undefined ? key : { ...key, warning: key.warning ?? unknownId(unknown) };
  });
}

function unknownId(id: string): string {
  return `No configured client has the id ${id}; GET /api/clients lists them.`;
}

function idsIn(domain: string): readonly string[] {
  return wordsIn(clientsText(domain) ?? '').filter((word) => /^\d+$/u.test(word));
}

function wordsIn(text: string): readonly string[] {
  return text
    .replace(/^!/u, '')
    .split(',')
    .map((word) => word.replace(/^~/u, ''));
}

/** Each dns worker compares every new client with all of them. The same text counts once. */
export function clientCapacityFailure(
  stored: Collection<StoredDomain>,
  keys: readonly DomainKey[],
  isOther: (domain: StoredDomain) => boolean,
): Failure<'collectionFull'> | undefined {
  const added = keys.flatMap(({ domain }) => clientsText(domain) ?? []);
  if (added.length === 0) return undefined;
  const others = stored
    .filter((one) => one.domain.includes(';client=') && isOther(one))
    .flatMap(({ domain }) => clientsText(domain) ?? []);
  const count = [...new Set([...others, ...added])].reduce((sum, text) => sum + wordsIn(text).length, 0);
  const most = limits.maxRuleClients;
  return count <= most
    ? undefined
    : fail(
        'collectionFull',
        `All rules together may name ${most} clients; put devices into a group instead.`,
      );
}
