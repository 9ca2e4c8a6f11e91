// Reports collections that could not be read from the database at the start, for example because a table is
// missing. Everything else works, so the service runs on.

import type { ReadModel } from '#store/database';

type Name = 'domains' | 'groups' | 'clients' | 'pauses' | 'lists';

export function unreadableCollections(read: ReadModel, names: readonly Name[]): string | undefined {
  const texts = names.flatMap((name) => {
    const { problem } = read[name];
    return problem === undefined ? [] : [`${name} (${problem})`];
  });
  return texts.length === 0
    ? undefined
    : `These could not be read from the database at the start and are not in force: ` +
        `${texts.join(', ')}. Restore a copy of the database (docs/operating.md), and restart the service.`;
}
