// `sluice clients add`: configures clients. Each is sent by itself, so that one that is wrong does not keep
// the others out.

import type { Talk } from '../context.ts';
import { forEach, outcomeOf } from '../each.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { groupIds } from '../groups/lookup.ts';

export interface AddOptions {
  readonly comment?: string;
  readonly group?: readonly string[];
}

export const addClients = async (
  { call, terminal }: Talk,
  clients: readonly string[],
  { comment = '', group }: AddOptions,
): Promise<ExitCode> => {
  const groups = await groupIds(call, group);
  if (!groups.ok) {
    terminal.error(groups.problem);
    return exitCodes.failed;
  }
  const fields = { comment, ...(groups.value === undefined ? {} : { groups: groups.value }) };
  return forEach(terminal, clients, async (client) => {
    const reply = await call('createClients', { body: { client, ...fields } });
    return outcomeOf({ thing: 'client', name: client }, 'added', reply);
  });
};
