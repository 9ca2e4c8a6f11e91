// `sluice groups remove`: each by itself, so that a wrong name among several is told and not passed over.

import type { Talk } from '../context.ts';
import { forEach, outcomeOf } from '../each.ts';
import type { ExitCode } from '../exit-codes.ts';

export const removeGroups = ({ call, terminal }: Talk, names: readonly string[]): Promise<ExitCode> =>
  forEach(terminal, names, async (name) =>
    outcomeOf({ thing: 'group', name }, 'removed', await call('deleteGroup', { params: { name } })),
  );
