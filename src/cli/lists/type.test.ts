// Addresses that several lists have.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createClient } from '#contract/client';
import { findListType } from './type.ts';

const address = 'https://********@lists.example/hosts';

const rows: readonly (readonly [title: string, types: readonly string[], problem: RegExp])[] = [
  ['two blocking lists', ['block', 'block'], /^2 lists have the address .* Use the id instead: 41, 42\.$/u],
  [
    'a list of each type',
    ['block', 'allow'],
    /^There is a blocking list .* Say which one: --block or --allow/u,
  ],
];
for (const [title, types, problem] of rows) {
  it(`an address of ${title} is refused, and the message says how to select one`, async () => {
    const lists = types.map((type, index) => ({ id: 41 + index, address, type }));
    const call = createClient(() => Promise.resolve({ status: 200, body: { lists } }));
    const found = await findListType(call, address, {});
    assert.ok(!found.ok);
    assert.match(found.problem, problem);
  });
}
