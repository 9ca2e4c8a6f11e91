// `sluice domains add`: denies or allows domains or regular expressions, for good or for a while. Each is
// sent by itself, so that one that is wrong does not keep the others out.

import type { Talk } from '../context.ts';
import { forEach, outcomeOf } from '../each.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { groupIds } from '../groups/lookup.ts';
import { quoted } from '../printable.ts';
import { expiryAfter } from './expiry.ts';
import { domainSubject, kindOf, typeOf, type PlaceOptions } from './place.ts';

export interface AddOptions extends PlaceOptions {
  readonly comment?: string;
  readonly group?: readonly string[];
  /** Seconds. */
  readonly for?: number;
  readonly disabled?: true;
}

export const addDomains = async (
  { call, terminal }: Talk,
  domains: readonly string[],
  options: AddOptions,
): Promise<ExitCode> => {
  const groups = await groupIds(call, options.group);
  if (!groups.ok) {
    terminal.error(groups.problem);
    return exitCodes.failed;
  }
  const params = { type: typeOf(options) ?? 'deny', kind: kindOf(options) ?? 'exact' } as const;
  const fields = {
    comment: options.comment ?? '',
    enabled: options.disabled !== true,
    expires_at: expiryAfter(options.for, terminal.nowMs()) ?? null,
    ...(groups.value === undefined ? {} : { groups: groups.value }),
  };
  return forEach(terminal, domains, async (domain) => {
    const reply = await call('createDomains', { params, body: { domain, ...fields } });
    const warnings = reply.ok ? (reply.body.processed.warnings ?? []) : [];
    for (const { item, warning } of warnings) terminal.error(`Warning about ${quoted(item)}: ${warning}`);
    return outcomeOf(domainSubject(params, domain), 'added', reply);
  });
};
