// Finds the list that a path or an item of a batch names: by its address, with or without its password, or by
// its id. Several lists may differ only in user and password, so that their masked addresses are the same. A
// request with such an address is refused, and the hint contains their ids.

import { fail, type Failure } from '#contract';
import type { ChangeScope } from '#store/database';
import {
  findLists,
  type ListKey,
  listsIn,
  listTable,
  maskedAddress,
  type ReadLists,
  type StoredList,
} from '#store/database/entities';

type Named = StoredList | undefined | Failure<'ambiguousList'>;

export async function findNamedList(scope: Pick<ChangeScope, 'db'>, place: ListKey): Promise<Named> {
  const found = await findLists(scope, place);
  if (found.length > 0) return onlyOne(found);
  const id = idIn(place.address);
  const list = id === undefined ? undefined : await listTable.byId(scope, id);
  return list?.type === place.type ? list : undefined;
}

/** All lists with this name in the read model. */
export function namedListsIn(lists: ReadLists, place: ListKey): readonly StoredList[] {
  const found = listsIn(lists, place);
  const id = idIn(place.address);
  if (found.length > 0 || id === undefined) return found;
  return lists.filter((list) => list.id === id && list.type === place.type);
}

export function noList(address: string): Failure<'notFound'> {
  return fail('notFound', maskedAddress(address));
}

export function onlyOne(found: readonly StoredList[]): Named {
  const [first, second] = found;
  if (first === undefined || second === undefined) return first;
  const ids = found.map(({ id }) => id).join(', ');
  const address = maskedAddress(first.address);
  return fail(
    'ambiguousList',
    `${found.length} lists of type ${first.type} have the address ${address}; they differ in user or ` +
      `password. Use the id of the list that you mean in place of the address: ${ids}.`,
  );
}

/** Only lists of earlier versions have addresses that look like an id; the address takes precedence. */
function idIn(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/u.test(text) ? Number(text) : undefined;
}
