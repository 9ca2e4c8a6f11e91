// `sluice clients remove`: each by itself, so that a wrong one among several is told and not passed over.

import type { Talk } from '../context.ts';
import { forEach, outcomeOf } from '../each.ts';
import type { ExitCode } from '../exit-codes.ts';

export const removeClients = ({ call, terminal }: Talk, clients: readonly string[]): Promise<ExitCode> =>
  forEach(terminal, clients, async (client) => {
    const reply = await call('deleteClient', { params: { client } });
    return outcomeOf({ thing: 'client', name: client }, 'removed', reply);
  });
