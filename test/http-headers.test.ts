// The security headers for browsers, on every kind of reply: if a single error reply lacks them, the service
// is open to attack there. The tests interpret them as a browser would and do not compare them with the
// service's texts.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';

import { boot } from './running/boot.ts';
import { sendRaw } from './running/raw.ts';
import type { Reply } from './running/reply.ts';

const service = await boot({ env: { SLUICE_AUTH_PASSWORD: 'a password' } });
after(() => service.stop());

const replies: Readonly<Record<string, () => Promise<Reply>>> = {
  JSON: () => service.call('GET', '/api/health'),
  'JSON over HTTPS': () => service.call('GET', '/api/health', { via: 'https' }),
  'JSON over HTTP/2': () => service.call('GET', '/api/health', { via: 'h2' }),
  'a created item': () => service.call('POST', '/api/groups', { via: 'control', body: { name: 'some' } }),
  'no content': () => service.call('OPTIONS', '/api/groups'),
  'a redirect': () => service.call('GET', '/'),
  'a page': () => service.call('GET', '/api/docs'),
  'a script': () => service.call('GET', '/api/docs/swagger-ui-bundle.js'),
  'the OpenAPI document': () => service.call('GET', '/api/docs/openapi.json'),
  '400': () => service.call('POST', '/api/groups', { via: 'control', body: '{' }),
  '401': () => service.call('GET', '/api/groups'),
  '403': () => service.call('GET', '/api/health', { headers: { origin: 'https://evil.example' } }),
  '404': () => service.call('GET', '/api/none'),
  '405': () => service.call('PUT', '/api/health'),
  '413': () => service.call('POST', '/api/groups', { body: 'x'.repeat(65_537) }),
  '421': () => service.call('GET', '/api/health', { headers: { host: 'evil.example' } }),
  'an invalid URL': () => service.call('GET', '/api/%ff'),
  'no HTTP at all': () => firstRaw('what is this\r\n\r\n'),
  'headers that are too large': () =>
    firstRaw(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
};

for (const [name, ask] of Object.entries(replies)) {
  test(`a reply with ${name} has the security headers and no CORS header`, async () => {
    const { headers } = await ask();
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['x-frame-options'], 'DENY');
    assert.match(String(headers['referrer-policy']), /^(?:no-referrer|same-origin|strict-origin)/);
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
    assertStrictPolicy(directivesOf(headers['content-security-policy']));
    const revealing = Object.keys(headers).filter((header) => /^(?:server|x-powered-by|via)$/.test(header));
    assert.deepEqual(revealing, []);
    const cors = Object.keys(headers).filter((header) => header.startsWith('access-control-'));
    assert.deepEqual(cors, [], 'CORS headers without a configured origin');
  });
}

describe('caches', () => {
  for (const path of ['/api/health', '/api/none', '/api/groups', '/']) {
    test(`GET ${path} has Cache-Control: no-store`, async () => {
      assert.equal((await service.call('GET', path)).headers['cache-control'], 'no-store');
    });
  }

  for (const path of ['/api/docs', '/api/docs/openapi.json', '/api/docs/swagger-ui.css']) {
    test(`GET ${path}, a document, is kept and revalidated by its ETag`, async () => {
      const { headers } = await service.call('GET', path);
      assert.equal(headers['cache-control'], 'public, no-cache');
      assert.equal(headers['vary'], 'Accept-Encoding');
      const sent = { 'if-none-match': String(headers['etag']) };
      const again = await service.call('GET', path, { headers: sent });
      assert.deepEqual([again.status, again.text, again.headers['etag']], [304, '', headers['etag']]);
    });
  }
});

describe('compression', () => {
  const codings = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };
  for (const via of ['http', 'https', 'h2'] as const) {
    for (const [coding, decompress] of Object.entries(codings)) {
      test(`of a document with ${coding} over ${via} keeps its content`, async () => {
        const path = '/api/docs/openapi.json';
        const headers = { 'accept-encoding': `deflate, ${coding};q=0.9` };
        const reply = await service.call('GET', path, { via, headers });
        assert.equal(reply.headers['content-encoding'], coding);
        assert.equal(Number(reply.headers['content-length']), reply.bytes.length);
        const { text } = await service.call('GET', path, { via });
        assert.equal(decompress(reply.bytes).toString(), text);
        assert.ok(reply.bytes.length * 5 < text.length, `${reply.bytes.length} of ${text.length}`);
      });
    }
  }

  for (const coding of Object.keys(codings)) {
    test(`with ${coding} loads the documentation page with at most 600 kB`, async () => {
      const headers = { 'accept-encoding': coding };
      const { text } = await service.call('GET', '/api/docs');
      const files = [...text.matchAll(/(?:href|src|document-url)="([^"]+)"/g)].map(([, path]) => path ?? '');
      assert.ok(files.length >= 4, text);
      const sizes = await Promise.all(
        files.map(async (path) => (await service.call('GET', path, { headers })).bytes.length),
      );
      const total = sizes.reduce((sum, size) => sum + size, text.length);
      assert.ok(total <= 600_000, `${total} bytes: ${sizes.join(', ')}`);
    });
  }

  test('does not apply to small replies', async () => {
    const reply = await service.call('GET', '/api/health', { headers: { 'accept-encoding': 'gzip' } });
    assert.deepEqual([reply.headers['content-encoding'], reply.headers['vary']], [undefined, undefined]);
  });
});

test('the OpenAPI document declares 429 and 503', async () => {
  const document = await service.call('GET', '/api/docs/openapi.json');
  assert.match(document.text, /"429"/);
  assert.match(document.text, /"503"/);
});

async function firstRaw(bytes: string): Promise<Reply> {
  const [reply] = (await sendRaw(service, [bytes])).replies;
  assert.ok(reply !== undefined, 'There is no reply.');
  return reply;
}

type Directives = ReadonlyMap<string, readonly string[]>;

function directivesOf(policy: string | undefined): Directives {
  const parts = (policy ?? '').split(';').map((part) => part.trim().split(/ +/));
  return new Map(parts.map(([name = '', ...values]) => [name, values]));
}

/** Forbids foreign sources, inline code, eval and framing. */
function assertStrictPolicy(directives: Directives): void {
  assert.deepEqual(directives.get('default-src'), ["'self'"]);
  assert.deepEqual(directives.get('object-src'), ["'none'"]);
  assert.deepEqual(directives.get('base-uri'), ["'none'"]);
  assert.deepEqual(directives.get('frame-ancestors'), ["'none'"]);
  const values = [...directives.values()].flat();
  const loose = values.filter((value) => /unsafe|\*|^https?:/.test(value));
  assert.deepEqual(loose, []);
  const scripts = directives.get('script-src') ?? ["'self'"];
  assert.deepEqual(scripts, ["'self'"]);
}
