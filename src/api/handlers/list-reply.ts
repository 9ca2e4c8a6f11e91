// A list as replies contain it: with the password in its address masked, because other users may read it.

import { type StoredList, withMaskedAddress } from '#store/database/entities';

export function presentList(list: StoredList) {
  return { ...withMaskedAddress(list), groups: [...list.groups] };
}
