// A list as replies have it: its address with the password masked.

import type { StoredList } from '../storage/lists.ts';
import { withMaskedAddress } from '../storage/masked-address.ts';

export const presentList = (list: StoredList) => ({ ...withMaskedAddress(list), groups: [...list.groups] });
