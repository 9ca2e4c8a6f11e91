// `sluice groups add`: one group or several, one after the other, so that each name is answered for by
// itself.

import type { Talk } from '../context.ts';
import { forEach, outcomeOf } from '../each.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { ScheduleSent } from './schedule-text.ts';

export interface AddOptions {
  readonly comment?: string;
  readonly disabled?: boolean;
  readonly schedule?: readonly ScheduleSent[];
  readonly privacy?: number;
}

export const addGroups = (
  { call, terminal }: Talk,
  names: readonly string[],
  { comment = '', disabled = false, schedule, privacy }: AddOptions,
): Promise<ExitCode> =>
  forEach(terminal, names, async (name) => {
    const more = {
      ...(schedule !== undefined && { schedules: [...schedule] }),
      ...(privacy !== undefined && { privacy }),
    };
    const reply = await call('createGroups', { body: { name, comment, enabled: !disabled, ...more } });
    return outcomeOf({ thing: 'group', name }, 'added', reply);
  });
