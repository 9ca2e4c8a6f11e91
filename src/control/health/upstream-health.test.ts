import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { upstreamProblem, type GeneralUpstreams } from './upstream-health.ts';

const counts = { queries: 0, failures: 0, timeouts: 0, measured: 0, measuredMs: 0, isUp: undefined };
const row = (text: string, repliedMs: number, failedMs: number) => ({ ...counts, text, repliedMs, failedMs });
const general = (upstreams: readonly string[], more: Partial<GeneralUpstreams> = {}): GeneralUpstreams => ({
  upstreams,
  system: [],
  fallback: [],
  ...more,
});

describe('the health of upstreams', () => {
  const rows: readonly (readonly [string, ...Parameters<typeof upstreamProblem>, RegExp | undefined])[] = [
    ['before the first plan nothing is wrong', undefined, [], undefined],
    [
      'an empty dns.upstreams without system resolvers is a problem',
      general([]),
      [],
      /No upstream resolver is configured.*Set dns\.upstreams/u,
    ],
    ['the resolvers of the system count', general([], { system: ['192.0.2.1'] }), [], undefined],
    ['one that was never asked is not dead', general(['a']), [row('a', 0, 0)], undefined],
    [
      'one that has failed since its last reply is dead',
      general(['a']),
      [row('a', 5, 6)],
      /No upstream.*\(a\)/u,
    ],
    ['one that replied since it failed is not', general(['a']), [row('a', 7, 6)], undefined],
    ['one that leads back to us is dead', general(['a']), [row('a', 7, Infinity)], /No upstream/u],
    ['one of two that lives is enough', general(['a', 'b']), [row('a', 5, 6), row('b', 6, 5)], undefined],
    ['all dead', general(['a', 'b']), [row('a', 5, 6), row('b', 0, 5)], /\(a, b\)/u],
    ['a fallback that lives is enough', general(['a'], { fallback: ['b'] }), [row('a', 5, 6)], undefined],
    ['upstreams of single domains do not count', general(['a']), [row('a', 0, 6), row('c', 9, 0)], /\(a\)/u],
  ];
  for (const [title, wanted, figures, reason] of rows)
    it(title, () => {
      const problem = upstreamProblem(wanted, figures);
      if (reason === undefined) assert.equal(problem, undefined);
      else assert.match(problem ?? '', reason);
    });
});
