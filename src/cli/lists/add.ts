// `sluice lists add`: subscribes to lists. Each is sent by itself, so that one that is wrong does not keep
// the others out.

import type { Talk } from '../context.ts';
import { forEach, outcomeOf } from '../each.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { groupIds } from '../groups/lookup.ts';
import { listSubject, typeOf, type TypeOptions } from './place.ts';

export interface AddOptions extends TypeOptions {
  readonly comment?: string;
  readonly group?: readonly string[];
  readonly disabled?: true;
}

export const addLists = async (
  { call, terminal }: Talk,
  addresses: readonly string[],
  options: AddOptions,
): Promise<ExitCode> => {
  const groups = await groupIds(call, options.group);
  if (!groups.ok) {
    terminal.error(groups.problem);
    return exitCodes.failed;
  }
  const type = typeOf(options) ?? 'block';
  const fields = {
    comment: options.comment ?? '',
    enabled: options.disabled !== true,
    ...(groups.value === undefined ? {} : { groups: groups.value }),
  };
  return forEach(terminal, addresses, async (address) => {
    const reply = await call('createLists', { query: { type }, body: { address, ...fields } });
    return outcomeOf(listSubject(type, address), 'added', reply);
  });
};
