// `sluice clients set`: changes what is named of each client and leaves the rest, by a JSON Merge Patch
// (RFC 7396).

import type { Talk } from '../context.ts';
import { forEach, outcomeOf } from '../each.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { groupIds } from '../groups/lookup.ts';
import { patchOf } from '../patch.ts';

export interface SetOptions {
  readonly comment?: string;
  readonly group?: readonly string[];
}

export const setClients = async (
  { call, terminal }: Talk,
  clients: readonly string[],
  { comment, group }: SetOptions,
): Promise<ExitCode> => {
  const groups = await groupIds(call, group);
  if (!groups.ok) {
    terminal.error(groups.problem);
    return exitCodes.failed;
  }
  const body = patchOf({ comment, groups: groups.value });
  if (body === undefined) {
    terminal.error('Say what to change: --comment or --group.');
    return exitCodes.usage;
  }
  return forEach(terminal, clients, async (client) => {
    const reply = await call('patchClient', { params: { client }, body });
    return outcomeOf({ thing: 'client', name: client }, 'changed', reply);
  });
};
