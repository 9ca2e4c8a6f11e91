// A list as replies have it: its address with the password masked.

import { type StoredList, withMaskedAddress } from '#store/database';

export function presentList(list: StoredList) {
  return { ...withMaskedAddress(list), groups: [...list.groups] };
}
