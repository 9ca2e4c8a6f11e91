// `sluice domains set`: changes what is named of each entry and leaves the rest, by a JSON Merge Patch
// (RFC 7396).

import type { Talk } from '../context.ts';
import { forEach, outcomeOf, type Outcome } from '../each.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { groupIds } from '../groups/lookup.ts';
import { patchOf } from '../patch.ts';
import { expiryAfter } from './expiry.ts';
import { findPlace } from './find.ts';
import { domainSubject, type PlaceOptions } from './place.ts';

export interface SetOptions extends PlaceOptions {
  readonly comment?: string;
  readonly group?: readonly string[];
  /** Seconds. */
  readonly for?: number;
  readonly forever?: true;
  readonly enable?: true;
  readonly disable?: true;
}

export const setDomains = async (
  talk: Talk,
  domains: readonly string[],
  options: SetOptions,
): Promise<ExitCode> => {
  const { call, terminal } = talk;
  const groups = await groupIds(call, options.group);
  if (!groups.ok) {
    terminal.error(groups.problem);
    return exitCodes.failed;
  }
  const { comment, enable, disable } = options;
  const expires_at = options.forever === true ? null : expiryAfter(options.for, terminal.nowMs());
  const patch = patchOf({ comment, enable, disable, expires_at, groups: groups.value });
  if (patch === undefined) {
    terminal.error('Say what to change: --comment, --group, --for, --forever, --enable or --disable.');
    return exitCodes.usage;
  }
  return forEach(terminal, domains, (domain) => setOne(talk, domain, options, patch));
};

const setOne = async (
  { call }: Talk,
  domain: string,
  options: PlaceOptions,
  body: Record<string, unknown>,
): Promise<Outcome> => {
  const found = await findPlace(call, domain, options);
  if (!found.ok) return { ok: false, text: found.problem };
  const reply = await call('patchDomain', { params: { ...found.place, domain }, body });
  return outcomeOf(domainSubject(found.place, domain), 'changed', reply);
};
