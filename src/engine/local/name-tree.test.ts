// The tree of names against the plainest matcher there is: a list of rules that is looked through for each
// name, label by label as texts.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nameFromText, QueryView } from '#wire';
import { Random } from '#testing/random';
import { NameTree } from './name-tree.ts';

const wire = (text: string): Uint8Array => nameFromText(text) ?? new Uint8Array(1);

function findIn<T>(tree: NameTree<T>, text: string): T | undefined {
  const name = wire(text);
  // Only `nameLength` bytes count, as in the buffer of a query.
  const buffer = new Uint8Array(256).fill(7);
  buffer.set(name);
  const found = tree.find(buffer, name.length);
  if (found !== undefined) assert.ok(tree.mayHold(queryFor(name)), `${text} is denied by its ending`);
  return found;
}

/** As it comes in a packet: twelve bytes of header, the name, type and class. */
function queryFor(name: Uint8Array): QueryView {
  const view = new QueryView(1);
  const packet = Uint8Array.of(0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...name, 0, 1, 0, 1);
  assert.equal(view.read(packet, 0, packet.length), 0);
  return view;
}

/** The name itself, else the longest `*.x` that it is below. */
function naive(rules: ReadonlyMap<string, number>, name: string): number | undefined {
  const labels = name === '.' ? [] : name.split('.');
  const above = labels.map((_, at) => labels.slice(at + 1).join('.'));
  const keys = [name, ...above.map((zone) => `*.${zone === '' ? '.' : zone}`)];
  return keys.map((key) => rules.get(key)).find((value) => value !== undefined);
}

describe('names in a tree', () => {
  test('random rules and names agree with a linear search', () => {
    const random = new Random(11);
    const label = (): string => random.one(['a', 'b', 'c', 'aa', 'x\\.y', 'com']);
    const name = (): string => Array.from({ length: 1 + random.below(5) }, label).join('.');
    for (let round = 0; round < 60; round++) {
      const tree = new NameTree<number>();
      const rules = new Map<string, number>();
      for (let value = 0; value < random.below(40); value++) {
        const text = random.below(2) === 0 ? name() : `*.${name()}`;
        assert.ok(tree.add(text.toUpperCase(), value));
        rules.set(text, value);
      }
      for (let probe = 0; probe < 200; probe++) {
        // A dot inside a label is no separator, which the texts of the matcher cannot tell.
        const text = name().replaceAll('x\\.y', 'xy');
        const plain = new Map([...rules].filter(([key]) => !key.includes('\\')));
        assert.equal(findIn(tree, text), naive(plain, text), text);
      }
    }
  });

  test('unrelated names are mostly rejected by the filter on endings', () => {
    const tree = new NameTree<string>();
    for (const zone of ['local', 'mask.icloud.com', 'use-application-dns.net']) tree.addZone(zone, zone);
    const strangers = ['com', 'www.example.com', 'tracker.net', 'a.b.c.org', 'icloud.net', 'x'];
    for (const name of strangers) assert.equal(tree.mayHold(queryFor(wire(name))), false, name);
  });

  test('a dot inside a label is not a separator', () => {
    const tree = new NameTree<string>();
    tree.add('*.b.example', 'below');
    tree.add('a\\.b.example', 'exact');
    assert.equal(findIn(tree, 'a\\.b.example'), 'exact');
    assert.equal(findIn(tree, 'a.b.example'), 'below');
    assert.equal(findIn(tree, 'x\\.b.example'), undefined);
  });

  test('the longest name and the root can be added and found', () => {
    const tree = new NameTree<string>();
    assert.equal(findIn(tree, '.'), undefined);
    tree.addZone('a', 'zone');
    assert.equal(findIn(tree, 'a.'.repeat(127).slice(0, -1)), 'zone');
    assert.equal(findIn(tree, 'b.'.repeat(127).slice(0, -1)), undefined);
    tree.addZone('.', 'all');
    assert.equal(findIn(tree, '.'), 'all');
    assert.equal(findIn(tree, 'x.b'), 'all');
    assert.equal(findIn(tree, 'x.a'), 'zone');
  });

  test('an invalid name is not added', () => {
    const tree = new NameTree<string>();
    for (const text of ['', '*.', 'a..b', `${'a'.repeat(64)}.b`, 'a b'])
      assert.ok(!tree.add(text, 'x'), text);
    assert.ok(tree.add('A.example.', 'x'));
    assert.equal(findIn(tree, 'a.EXAMPLE'), 'x');
    assert.equal(findIn(tree, 'b.example'), undefined);
  });
});
