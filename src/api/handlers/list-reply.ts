// A list as replies have it: its address with the password masked.

import { type StoredList, withMaskedAddress } from '#store/database/entities';

export const presentList = (list: StoredList) => ({ ...withMaskedAddress(list), groups: [...list.groups] });
