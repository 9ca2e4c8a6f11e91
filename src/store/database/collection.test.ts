import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Collection } from './collection.ts';

interface Thing {
  readonly id: number;
  readonly name: string;
}
const things = (...items: Thing[]) => new Collection<Thing>('things', ({ name }) => name, items);
const json = (collection: Collection<Thing>): unknown => JSON.parse(`${collection.serialised().openJson}}`);

describe('Collection', () => {
  it('keeps the order of ids through changes', () => {
    const collection = things({ id: 1, name: 'a' }, { id: 2, name: 'b' });
    collection.put({ id: 1, name: 'z' });
    collection.put({ id: 3, name: 'c' });
    assert.deepEqual(json(collection), {
      things: [
        { id: 1, name: 'z' },
        { id: 2, name: 'b' },
        { id: 3, name: 'c' },
      ],
    });
  });

  it('finds a renamed item by its new key only', () => {
    const collection = things({ id: 1, name: 'a' });
    collection.put({ id: 1, name: 'b' });
    assert.equal(collection.get('a'), undefined);
    assert.equal(collection.get('b')?.id, 1);
  });

  it('finds both items after they have exchanged their names', () => {
    const collection = things({ id: 1, name: 'a' }, { id: 2, name: 'b' });
    collection.put({ id: 1, name: 'tmp' });
    collection.put({ id: 2, name: 'a' });
    collection.put({ id: 1, name: 'b' });
    assert.equal(collection.get('a')?.id, 2);
    assert.equal(collection.get('b')?.id, 1);
  });

  it('serialises again only after a change', () => {
    const collection = things({ id: 1, name: 'a' });
    const first = collection.serialised();
    assert.equal(collection.serialised(), first);
    collection.remove(1);
    assert.notEqual(collection.serialised(), first);
    assert.deepEqual(json(collection), { things: [] });
    assert.equal(collection.size, 0);
  });
});
