// Compares a search for a name with the policy, on random lists in mixed notations: the search finds exactly
// the rules that an explanation of the name reports, and the lines that it shows.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../../test/running/properties.ts';
import { createOwnLayer, createPolicy, openSnapshot } from '#policy';
import { findRules } from './find-rules.ts';
import { searchCopies } from './search-copies.ts';
import { block, compileScene, wireName } from '#testing/lists/compile-scene';
import { temporaryFolder } from '#testing/lists/list-scene';

const label = fc.constantFrom('a', 'b', 'ab', 'a-b', 'x', 'bücher', 'test', 'com');
const name = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join('.'));
const notations: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => `0.0.0.0 ${text} # ${text}`,
  (text) => `||${text}^`,
  (text) => `@@||${text}^$important`,
  (text) => `|${text}^`,
  (text) => `*.${text}`,
  (text) => `address=/${text}/`,
  (text) => `# ${text}`,
  (text) => `${text}##.ad`,
];
const line = fc.tuple(name, fc.constantFrom(...notations)).map(([text, write]) => write(text));

test('a search finds the same rules as an explanation', async (t) => {
  const { store, listsFolder, compile } = await compileScene(temporaryFolder(t));
  const [lines = []] = fc.sample(fc.array(line, { minLength: 400, maxLength: 400 }), { numRuns: 1, seed: 4 });
  await store(1, `plain.example\n${lines.join('\n')}\n`);
  const built = await compile([block(1)]);
  assert.ok(built.kind === 'built');
  const snapshot = openSnapshot(built.buffer);
  assert.ok(typeof snapshot !== 'string');
  const policy = await createPolicy({
    version: 1,
    lists: snapshot,
    listsInForce: [{ id: 1, groups: [0], name: '' }],
    own: createOwnLayer([], snapshot.key),
    clients: [],
    defaultGroups: [0],
    isBlocking: true,
  });
  let [rulesSeen, namesTried] = [0, 0];
  for (const text of new Set(fc.sample(name, { numRuns: 150, seed: 5 }))) {
    const ascii = new URL(`http://${text}.`).hostname.replace(/\.$/u, '');
    const wire = wireName(ascii);
    const steps = policy.explain(wire, wire.length, 1, 0).steps;
    const request = { listsFolder, text, maxHits: 1000, untilMs: Infinity };
    const { hits } = await searchCopies({ ...request, listIds: [1], isExact: true }, () => 0);
    const keys = (rules: readonly { about: string; reach: string; action: string }[]): string[] =>
      [...new Set(rules.map(({ about, reach, action }) => `${about} ${reach} ${action}`))].toSorted();
    assert.deepEqual(keys(hits), keys(steps), text);
    rulesSeen += steps.length;
    namesTried += 1;
    if (namesTried > 20) continue;
    const names = [...new Set(steps.map(({ about }) => about))].map(wireName);
    const found = await findRules({ listsFolder, lists: [{ id: 1 }], names }, () => 0);
    const shown = new Set(hits.map(({ line: at }) => at));
    assert.deepEqual(
      [...shown].filter((at) => !found.some((rule) => rule.line === at)),
      [],
      text,
    );
  }
  assert.ok(rulesSeen > namesTried, `${rulesSeen} rules for ${namesTried} names`);
});
