// `sluice groups set`: changes what is named and leaves the rest, by a JSON Merge Patch (RFC 7396).

import type { Talk } from '../context.ts';
import { forEach, outcomeOf } from '../each.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { patchOf } from '../patch.ts';

export interface SetOptions {
  readonly name?: string;
  readonly comment?: string;
  readonly enable?: true;
  readonly disable?: true;
}

export const setGroup = async (
  { call, terminal }: Talk,
  name: string,
  options: SetOptions,
): Promise<ExitCode> => {
  const body = patchOf({ ...options, name: options.name });
  if (body === undefined) {
    terminal.error('Say what to change: --name, --comment, --enable or --disable.');
    return exitCodes.usage;
  }
  return forEach(terminal, [name], async () => {
    const reply = await call('patchGroup', { params: { name }, body });
    return outcomeOf({ thing: 'group', name }, 'changed', reply);
  });
};
