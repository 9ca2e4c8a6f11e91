// `sluice lists set`: changes what is named of each list and leaves the rest, by a JSON Merge Patch
// (RFC 7396).

import type { Talk } from '../context.ts';
import { forEach, outcomeOf, type Outcome } from '../each.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { groupIds } from '../groups/lookup.ts';
import { patchOf } from '../patch.ts';
import { findListType } from './find.ts';
import { listSubject, type TypeOptions } from './place.ts';

export interface SetOptions extends TypeOptions {
  readonly comment?: string;
  readonly group?: readonly string[];
  readonly enable?: true;
  readonly disable?: true;
}

export const setLists = async (
  talk: Talk,
  addresses: readonly string[],
  options: SetOptions,
): Promise<ExitCode> => {
  const { call, terminal } = talk;
  const groups = await groupIds(call, options.group);
  if (!groups.ok) {
    terminal.error(groups.problem);
    return exitCodes.failed;
  }
  const { comment, enable, disable } = options;
  const patch = patchOf({ comment, enable, disable, groups: groups.value });
  if (patch === undefined) {
    terminal.error('Say what to change: --comment, --group, --enable or --disable.');
    return exitCodes.usage;
  }
  return forEach(terminal, addresses, (address) => setOne(talk, address, options, patch));
};

const setOne = async (
  { call }: Talk,
  address: string,
  options: TypeOptions,
  body: Record<string, unknown>,
): Promise<Outcome> => {
  const found = await findListType(call, address, options);
  if (!found.ok) return { ok: false, text: found.problem };
  const { type } = found;
  const reply = await call('patchList', { params: { list: address }, query: { type }, body });
  return outcomeOf(listSubject(type, address), 'changed', reply);
};
