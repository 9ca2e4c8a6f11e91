import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { readParts } from './text-parts.ts';
import { namesText, temporaryFolder } from '#testing/lists/list-scene';

async function partsOf(t: TestContext, text: string, unpackedBytes = text.length): Promise<string[]> {
  const path = join(temporaryFolder(t), 'text.zst');
  writeFileSync(path, zstdCompressSync(text));
  const parts: string[] = [];
  await readParts(path, unpackedBytes, (part) => parts.push(Buffer.from(part).toString()));
  return parts;
}

describe('the parts of a text', () => {
  const longLine = 'x'.repeat(5_000_000);
  const texts: readonly (readonly [string, string])[] = [
    ['an empty text', ''],
    ['one line without a newline', 'ads.example'],
    ['a small text', namesText(10)],
    ['a large text', namesText(400_000)],
    ['a large text without a final newline', namesText(400_000).trimEnd()],
    ['a line longer than a part', `${namesText(10)}${longLine}\n${namesText(200_000)}`],
    ['a single line longer than a part', longLine],
    ['blank lines', '\n'.repeat(5_000_000)],
  ];
  for (const [title, text] of texts) {
    it(`are whole lines and complete: ${title}`, async (t) => {
      const parts = await partsOf(t, text);
      assert.ok(parts.join('') === text);
      assert.ok(parts.slice(0, -1).every((part) => part.endsWith('\n')));
      assert.ok(parts.slice(0, -1).every((part) => part.length <= 2_400_000 || part.includes(longLine)));
      if (text.length > 5_000_001 && !text.includes(longLine)) assert.ok(parts.length > 2);
    });
  }

  it('end when the consumer throws', async (t) => {
    const path = join(temporaryFolder(t), 'text.zst');
    const text = namesText(400_000);
    writeFileSync(path, zstdCompressSync(text));
    let calls = 0;
    const onPart = (): void => {
      calls += 1;
      throw new RangeError('enough');
    };
    await assert.rejects(readParts(path, text.length, onPart), /enough/);
    assert.equal(calls, 1);
  });

  it('are refused with an error when the text does not have the expected size', async (t) => {
    const text = namesText(100);
    await assert.rejects(partsOf(t, text, text.length + 1), /shorter/);
    await assert.rejects(partsOf(t, text, text.length - 1), /longer/);
  });
});
