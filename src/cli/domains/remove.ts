// `sluice domains remove`: each entry by itself, wherever it stands; of several of one text it wants to know
// which.

import type { Talk } from '../context.ts';
import { forEach, outcomeOf } from '../each.ts';
import type { ExitCode } from '../exit-codes.ts';
import { findPlace } from './find.ts';
import { domainSubject, type PlaceOptions } from './place.ts';

export const removeDomains = (
  { call, terminal }: Talk,
  domains: readonly string[],
  options: PlaceOptions,
): Promise<ExitCode> =>
  forEach(terminal, domains, async (domain) => {
    const found = await findPlace(call, domain, options);
    if (!found.ok) return { ok: false, text: found.problem };
    const reply = await call('deleteDomain', { params: { ...found.place, domain } });
    return outcomeOf(domainSubject(found.place, domain), 'removed', reply);
  });
