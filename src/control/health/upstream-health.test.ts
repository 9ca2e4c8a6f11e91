import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { upstreamProblem, upstreamStates, type GeneralUpstreams } from './upstream-health.ts';

const counts = { queries: 0, failures: 0, timeouts: 0, measured: 0, measuredMs: 0, isUp: undefined };
function row(text: string, repliedMs: number, failedMs: number) {
  return { ...counts, text, repliedMs, failedMs };
}

function general(upstreams: readonly string[], more: Partial<GeneralUpstreams> = {}): GeneralUpstreams {
  return {
    upstreams,
    system: [],
    fallback: [],
    ...more,
  };
}

describe('the health of upstreams', () => {
  const rows: readonly (readonly [string, ...Parameters<typeof upstreamProblem>, RegExp | undefined])[] = [
    ['no problem before the first plan', undefined, [], undefined],
    [
      'a problem when dns.upstreams is empty and the system has no resolvers',
      general([]),
      [],
      /No upstream resolver is configured.*Set dns\.upstreams/u,
    ],
    ['no problem when the system has resolvers', general([], { system: ['192.0.2.1'] }), [], undefined],
    ['no problem before the first query to an upstream', general(['a']), [row('a', 0, 0)], undefined],
    [
      'a problem when the only upstream has failed since its last reply',
      general(['a']),
      [row('a', 5, 6)],
      /No upstream.*\(a\)/u,
    ],
    ['no problem when it has replied since the failure', general(['a']), [row('a', 7, 6)], undefined],
    [
      'a problem when the only upstream leads back to Sluice',
      general(['a']),
      [row('a', 7, Infinity)],
      /No upstream/u,
    ],
    [
      'no problem when one of two upstreams works',
      general(['a', 'b']),
      [row('a', 5, 6), row('b', 6, 5)],
      undefined,
    ],
    [
      'a problem when all upstreams have failed',
      general(['a', 'b']),
      [row('a', 5, 6), row('b', 0, 5)],
      /\(a, b\)/u,
    ],
    ['no problem when a fallback works', general(['a'], { fallback: ['b'] }), [row('a', 5, 6)], undefined],
    [
      'a problem when only an upstream of a single domain works',
      general(['a']),
      [row('a', 0, 6), row('c', 9, 0)],
      /\(a\)/u,
    ],
  ];
  for (const [title, wanted, figures, reason] of rows)
    it(title, () => {
      const problem = upstreamProblem(wanted, figures);
      if (reason === undefined) assert.equal(problem, undefined);
      else assert.match(problem ?? '', reason);
    });
});

describe('the state of each upstream', () => {
  it('is unknown before a reply or a failure, and has the order of the settings', () => {
    const figures = [row('d', 7, Infinity), row('c', 5, 6), row('b', 6, 5), row('a', 0, 0)];
    assert.deepEqual(upstreamStates(general(['a', 'b', 'c', 'd', 'e'], { fallback: ['f'] }), figures), [
      { text: 'a', answers: undefined },
      { text: 'b', answers: true },
      { text: 'c', answers: false },
      { text: 'd', answers: false },
      { text: 'e', answers: undefined },
    ]);
  });

  it('is that of the system resolvers when none is configured', () => {
    const states = upstreamStates(general([], { system: ['192.0.2.1'] }), [row('192.0.2.1', 5, 0)]);
    assert.deepEqual(states, [{ text: '192.0.2.1', answers: true }]);
  });
});
