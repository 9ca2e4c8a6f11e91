import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { limits } from '#contract';
import { chooseCoding, type Coding, Compressor, isCompressible } from './compression.ts';

const json = { 'content-type': 'application/json; charset=utf-8' };
const large = 'x'.repeat(limits.minCompressedLength);

describe('chooseCoding', () => {
  const table: readonly (readonly [header: string | undefined, coding: Coding | undefined])[] = [
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['deflate', undefined],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, br', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['zstd;q=0, br;q=0.1', 'br'],
    ['gzip;q=0', undefined],
    ['*', 'gzip'],
    ['*;q=0', undefined],
    ['gzip;q=0, *', undefined],
  ];
  for (const [header, coding] of table) {
    it(`${JSON.stringify(header)}: ${coding ?? 'none'}`, () => assert.equal(chooseCoding(header), coding));
  }
});

describe('isCompressible', () => {
  const script = { 'content-type': 'text/javascript; charset=utf-8', etag: 'W/"x"' };
  const table = [
    ['large JSON', { headers: json, payload: large }, true],
    ['JSON one character shorter', { headers: json, payload: large.slice(1) }, false],
    ['no body', { headers: json, payload: undefined }, false],
    ['a document', { headers: script, payload: Buffer.from(large) }, true],
    ['an image', { headers: { 'content-type': 'image/png' }, payload: Buffer.from(large) }, false],
    ['an item with a strong tag', { headers: { ...json, etag: '"x"' }, payload: large }, false],
  ] as const;
  for (const [name, reply, expected] of table) {
    it(`${name}: ${expected ? 'yes' : 'no'}`, () =>
      assert.equal(isCompressible({ status: 200, ...reply }), expected));
  }
});

describe('Compressor', () => {
  const reply = { status: 200, headers: json, payload: `${large}ü` };
  const readers = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync };

  for (const coding of ['zstd', 'br', 'gzip'] as const) {
    it(`compresses with ${coding}`, async () => {
      const bytes = await new Compressor().compress(reply, coding);
      assert.ok(bytes !== undefined && bytes.length < large.length / 10);
      assert.equal(readers[coding](bytes).toString(), reply.payload);
    });
  }

  it('leaves replies as they are while it compresses as many as it may', async () => {
    const compressor = new Compressor();
    const running = Array.from({ length: limits.maxCompressions }, async () =>
      compressor.compress(reply, 'gzip'),
    );
    assert.equal(compressor.compress(reply, 'gzip'), undefined);
    const document = { status: 200, headers: { etag: 'W/"x"' }, payload: Buffer.from(large) };
    assert.ok(compressor.compress(document, 'gzip') !== undefined, 'A document is compressed in any case.');
    await Promise.all(running);
    assert.ok(compressor.compress(reply, 'gzip') !== undefined);
  });

  it('compresses a document once, and an answer without a tag each time', async () => {
    const compressor = new Compressor();
    const document = { status: 200, headers: { etag: 'W/"x"' }, payload: Buffer.from(large) };
    const first = compressor.compress(document, 'br');
    assert.equal(compressor.compress(document, 'br'), first);
    await first;
    const metrics = { ...document, headers: {} };
    const other = compressor.compress(metrics, 'br');
    assert.notEqual(compressor.compress(metrics, 'br'), other);
  });
});
