// Deciding allocates nothing: neither for names that pass, are blocked or allowed, nor for rules with
// options, nor for patterns on a name that was seen before. This file needs its own process, and
// --single-threaded: then V8 compiles and collects garbage at the same queries in each run, and no other
// test's heap is counted.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { nameOf, ownRule, policyOf, ruleOf } from '#testing/policy/rules';

const warmUps = 240_000;
const chunks = 25;
const perChunk = 24_000;
const maxBytesPerQuery = 1;

const lists = {
  1: [
    ...Array.from({ length: 3000 }, (_, at) => ruleOf(`ads-${at}.example`)),
    ruleOf('typed.example', { types: { only: [28], except: [] } }),
    ruleOf('most.example', { denyallow: [nameOf('good.most.example')] }),
    ruleOf('regex ^track'),
  ],
  2: [ruleOf('ads-1.example'), ruleOf('allow ads-2.example'), ruleOf('important ads-3.example')],
};
const own = [
  ownRule(1, ruleOf('allow exact own.example')),
  ownRule(2, ruleOf('regex ^own-[0-9]')),
  ownRule(3, ruleOf('exact tablet.example', { clients: { only: ['tablet', '10.0.0.0/8'], except: [] } })),
  ownRule(4, ruleOf('exact others.example', { clients: { only: [], except: ['tablet'] } })),
];

const asked = [
  'www.some.where',
  'a.ads-1.example',
  'ads-2.example',
  'x.ads-3.example',
  'own.example',
  'typed.example',
  'good.most.example',
  'bad.most.example',
  'track.me',
  'own-7.test',
  'tablet.example',
  'others.example',
];

it('a decision leaves nothing on the heap', () => {
  const policy = policyOf(lists, own);
  const address = Uint8Array.of(10, 0, 0, 1);
  const names = asked.map(nameOf);
  let blocked = 0;
  const ask = (count: number): void => {
    for (let at = 0; at < count; at++) {
      const name = names[at % names.length] ?? address;
      if (policy.decide(name, name.length, 1, 0).kind === 'block') blocked++;
      if (policy.decideAddress(address, 0, 4, 0).kind === 'block') blocked++;
    }
  };
  ask(warmUps);
  const growths = Array.from({ length: chunks }, () => {
    const before = process.memoryUsage().heapUsed;
    ask(perChunk);
    return (process.memoryUsage().heapUsed - before) / perChunk;
  });
  const usual = growths.toSorted((a, b) => a - b)[chunks >> 1] ?? Infinity;
  assert.ok(Math.abs(usual) < maxBytesPerQuery, `${usual} bytes per query`);
  assert.equal(blocked, ((warmUps + chunks * perChunk) / 12) * 6);
});
