// `sluice lists remove`: each list by itself; of an address that blocks and allows it wants to know which.

import type { Talk } from '../context.ts';
import { forEach, outcomeOf } from '../each.ts';
import type { ExitCode } from '../exit-codes.ts';
import { findListType } from './find.ts';
import { listSubject, type TypeOptions } from './place.ts';

export const removeLists = (
  { call, terminal }: Talk,
  addresses: readonly string[],
  options: TypeOptions,
): Promise<ExitCode> =>
  forEach(terminal, addresses, async (address) => {
    const found = await findListType(call, address, options);
    if (!found.ok) return { ok: false, text: found.problem };
    const { type } = found;
    const reply = await call('deleteList', { params: { list: address }, query: { type } });
    return outcomeOf(listSubject(type, address), 'removed', reply);
  });
