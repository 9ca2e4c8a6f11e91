import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countEntities, packItems, summaryOf, unpackItems } from './restore-point.ts';

describe('items of a restore point', () => {
  const texts: Readonly<Record<string, string>> = {
    'plain text': 'ads.example',
    'quotes and a line break': 'a "b"\nc',
    'other scripts': 'пример.испытание 🙂',
  };
  for (const [what, text] of Object.entries(texts))
    it(`with ${what} are unpacked unchanged`, async () => {
      const item = { entity: 'domain', key: text, before: { text, list: [1, null] }, after: null };
      const packed = await packItems([{ ...item, before: JSON.stringify(item.before) }]);
      assert.deepEqual(await unpackItems(packed ?? new Uint8Array()), [item]);
    });

  it('that fill several chunks are unpacked in their order', async () => {
    const items = Array.from({ length: 1_001 }, (_, index) => index);
    const packed = await packItems(
      items.map((index) => ({ entity: 'domain', key: String(index), before: null, after: String(index) })),
    );
    const back = await unpackItems(packed ?? new Uint8Array());
    assert.deepEqual(
      back?.map(({ after }) => after),
      items,
    );
  });

  it('are undefined when the bytes are not a restore point', async () =>
    assert.equal(await unpackItems(Buffer.from('no restore point')), undefined));
});

describe('the summary of a change', () => {
  const cases: readonly (readonly [entities: readonly string[], text: string])[] = [
    [['domain'], '1 domain changed'],
    [['domain', 'domain', 'group'], '2 domains and 1 group changed'],
    [['domain', 'group', 'app', 'app'], '1 domain, 1 group and 2 application passwords changed'],
    [Array.from({ length: 1_234 }, () => 'domain'), '1,234 domains changed'],
  ];
  for (const [entities, text] of cases)
    it(text, () => assert.equal(summaryOf(countEntities(entities.map((entity) => ({ entity })))), text));
});
