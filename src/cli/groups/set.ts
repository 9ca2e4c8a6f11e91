// `sluice groups set`: changes what is named and leaves the rest, by a JSON Merge Patch (RFC 7396).

import type { Talk } from '../context.ts';
import { forEach, outcomeOf } from '../each.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { patchOf } from '../patch.ts';
import type { ScheduleSent } from './schedule-text.ts';

export interface SetOptions {
  readonly name?: string;
  readonly comment?: string;
  readonly enable?: true;
  readonly disable?: true;
  readonly schedule?: readonly ScheduleSent[];
  readonly always?: true;
  readonly privacy?: number;
}

export const setGroup = async (
  { call, terminal }: Talk,
  name: string,
  { schedule, always, privacy, ...options }: SetOptions,
): Promise<ExitCode> => {
  const schedules = always === true ? [] : schedule;
  const body = patchOf({ ...options, name: options.name, schedules, privacy });
  if (body === undefined) {
    terminal.error(
      'Say what to change: --name, --comment, --enable or --disable, --schedule or --always, --privacy.',
    );
    return exitCodes.usage;
  }
  return forEach(terminal, [name], async () => {
    const reply = await call('patchGroup', { params: { name }, body });
    return outcomeOf({ thing: 'group', name }, 'changed', reply);
  });
};
