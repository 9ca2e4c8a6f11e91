import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { limits as apiLimits } from '#contract';
import { userPair } from '#testing/tls/scene';
import { builtInAddress, builtInText } from '../compile/built-in.ts';
import { fetchList, nothingKnown, type FetchOptions } from './fetch-list.ts';
import type { FetchOutcome } from '../fetch-outcome.ts';
import { listServer, temporaryFolder, testLimits, textPage, type Page } from '#testing/lists/list-scene';

const text = 'ads.example\ntrackers.example\n'.repeat(500);

interface Got {
  readonly outcome: FetchOutcome;
  /** The text in the draft file; undefined without a draft. */
  readonly text: string | undefined;
}

async function get(
  t: TestContext,
  address: string,
  known = nothingKnown,
  change: Partial<FetchOptions> = {},
): Promise<Got> {
  const draftPath = join(temporaryFolder(t), 'draft');
  const signal = new AbortController().signal;
  const options = { userAgent: 'sluice/test', signal, limits: testLimits, allowLocal: () => true, ...change };
  const outcome = await fetchList({ address, rights: 'sudo', known, draftPath }, options);
  const draft = existsSync(draftPath) ? zstdDecompressSync(readFileSync(draftPath)).toString() : undefined;
  return { outcome, text: draft };
}

async function getPage(
  t: TestContext,
  page: Page,
  known = nothingKnown,
  limits: Partial<FetchOptions['limits']> = {},
): Promise<Got> {
  const address = `${await listServer(t, { '/list': page })}/list`;
  return get(t, address, known, { limits: { ...testLimits, ...limits } });
}

const to =
  (location: string, status = 302): Page =>
  (_request, response) =>
    void response.writeHead(status, { location }).end();

function assertFailed({ outcome, text: draft }: Got, reason: RegExp, isWorthRetrying: boolean): void {
  assert.ok(outcome.kind === 'failed', outcome.kind);
  assert.match(outcome.reason, reason);
  assert.equal(outcome.isWorthRetrying, isWorthRetrying, outcome.reason);
  assert.equal(draft, undefined, 'a draft was left behind');
}

describe('a fetched list', () => {
  const encodings: readonly (readonly [string, Uint8Array])[] = [
    ['identity', Buffer.from(text)],
    ['gzip', gzipSync(text)],
    ['X-GZIP', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
    ['zstd', zstdCompressSync(text)],
    ['gzip, br', brotliCompressSync(gzipSync(text))],
  ];
  for (const [encoding, bytes] of encodings) {
    it(`is stored unchanged when it is sent with the encoding ${encoding}`, async (t) => {
      const headers = { 'content-encoding': encoding, etag: '"7"', 'last-modified': 'yesterday' };
      const { outcome, text: got } = await getPage(t, textPage(bytes, headers));
      assert.equal(got, text);
      assert.ok(outcome.kind === 'changed');
      assert.deepEqual([outcome.etag, outcome.lastModified], ['"7"', 'yesterday']);
      assert.equal(outcome.unpackedBytes, text.length);
    });
  }

  it('is requested with ETag and date of the last copy', async (t) => {
    const page: Page = ({ headers }, response) => {
      assert.equal(headers['user-agent'], 'sluice/test');
      const isKnown = headers['if-none-match'] === '"7"' && headers['if-modified-since'] === 'yesterday';
      response.writeHead(isKnown ? 304 : 200).end();
    };
    const known = { etag: '"7"', lastModified: 'yesterday', contentHash: undefined };
    const got = await getPage(t, page, known);
    assert.deepEqual(got, { outcome: { kind: 'unchanged' }, text: undefined });
  });

  it('is unchanged when a server without conditional requests sends the same text again', async (t) => {
    const { outcome } = await getPage(t, textPage(text));
    assert.ok(outcome.kind === 'changed');
    assert.deepEqual(await getPage(t, textPage(text), outcome), {
      outcome: { kind: 'unchanged' },
      text: undefined,
    });
  });

  it('is fetched through five redirects, but not through six', async (t) => {
    const pages: Record<string, Page> = { '/5': textPage(text) };
    for (let at = 0; at < 5; at++) pages[`/${at}`] = to(`${at + 1}`, [301, 302, 303, 307, 308][at]);
    pages['/first'] = to('/0');
    const base = await listServer(t, pages);
    assert.equal((await get(t, `${base}/0`)).text, text);
    assertFailed(await get(t, `${base}/first`), /more than 5 redirects/, false);
  });

  it('has its host name resolved by the lookup function that is passed in', async (t) => {
    const names: string[] = [];
    const { port } = new URL(await listServer(t, { '/list': textPage(text) }));
    const got = await get(t, `http://lists.example:${port}/list`, nothingKnown, {
      lookup: (name, _options, callback) => {
        names.push(name);
        callback(null, [{ address: '127.0.0.1', family: 4 }]);
      },
    });
    assert.deepEqual([got.text, names], [text, ['lists.example']]);
  });
});

const drip: Page = (_request, response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write('a'), 100);
  response.on('close', () => clearInterval(timer));
};

describe('a failure of a list server', () => {
  const half = gzipSync(Buffer.from(text + text)).subarray(0, 60);
  type Failure = readonly [string, Page, RegExp, boolean, Partial<FetchOptions['limits']>?];
  const failures: readonly Failure[] = [
    ['404', (_request, response) => void response.writeHead(404).end('x'), /not there any more/, false],
    ['403', (_request, response) => void response.writeHead(403).end('x'), /refuses access/, false],
    ['500', (_request, response) => void response.writeHead(500).end('x'), /cannot answer now/, true],
    ['429', (_request, response) => void response.writeHead(429).end('x'), /cannot answer now/, true],
    ['206', (_request, response) => void response.writeHead(206).end('x'), /answers with 206/, false],
    [
      '304 to an unconditional request',
      (_request, response) => void response.writeHead(304).end(),
      /answers with 304/,
      false,
    ],
    ['silent from the start', () => undefined, /sent nothing for/, true, { silenceMs: 300 }],
    [
      'silent in the middle',
      (_request, response) => void response.writeHead(200).write('ads.example\n'),
      /sent nothing for/,
      true,
      { silenceMs: 300 },
    ],
    [
      'one byte at a time, until the overall timeout',
      drip,
      /not finished within/,
      true,
      { overallMs: 1_500 },
    ],
    [
      'slower than the lowest accepted speed',
      drip,
      /fewer than 1000 bytes/,
      true,
      { slowBytes: 1000, slowMs: 700 },
    ],
    [
      'connection closed before Content-Length is reached',
      (_request, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('ads.example\n');
        setTimeout(() => response.destroy(), 50);
      },
      /closed the connection in the middle/,
      true,
    ],
    [
      'connection closed between chunks',
      (_request, response) => {
        response.writeHead(200).write('ads.example\n');
        setTimeout(() => response.destroy(), 50);
      },
      /closed the connection in the middle/,
      true,
    ],
    ['truncated gzip', textPage(half, { 'content-encoding': 'gzip' }), /damaged or truncated/, true],
    ['plain text announced as gzip', textPage(text, { 'content-encoding': 'gzip' }), /damaged/, true],
    ['plain text announced as br', textPage(text, { 'content-encoding': 'br' }), /damaged/, true],
    ['plain text announced as zstd', textPage(text, { 'content-encoding': 'zstd' }), /damaged/, true],
    [
      'an encoding that was not accepted',
      textPage(text, { 'content-encoding': 'compress' }),
      /"compress"/,
      false,
    ],
    [
      'too many nested encodings',
      textPage(text, { 'content-encoding': 'br,br,br' }),
      /too many times/,
      false,
    ],
    [
      'a gzip bomb',
      textPage(gzipSync(Buffer.alloc(50_000_000)), { 'content-encoding': 'gzip' }),
      /more than 4000000 bytes/,
      false,
    ],
    [
      'a zstd bomb inside gzip',
      textPage(gzipSync(zstdCompressSync(Buffer.alloc(500_000_000))), { 'content-encoding': 'zstd, gzip' }),
      /more than 4000000 bytes/,
      false,
    ],
    [
      'a Content-Length above the limit',
      textPage('a', { 'content-length': '1000001' }),
      /1000001 bytes are announced/,
      false,
    ],
    [
      'an endless body without Content-Length',
      (_request, response) => {
        response.writeHead(200);
        const more = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536, 'a\n')));
        };
        response.on('drain', more);
        more();
      },
      /more than 1000000 bytes/,
      false,
    ],
    ['a redirect to itself', to('/list'), /in a circle/, false],
    ['a redirect to a file', to('file:///etc/hosts'), /redirects to file:, which is never followed/, false],
    ['a redirect to a very long address', to(`/${'a'.repeat(8192)}`), /too long/, false],
    ['a redirect to an invalid address', to('http://['), /invalid address/, false],
    [
      'a redirect without Location',
      (_request, response) => void response.writeHead(302).end(),
      /redirects without a target/,
      false,
    ],
    [
      'a reply that is not HTTP',
      ({ socket }) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
      /does not speak valid HTTP/,
      false,
    ],
  ];
  for (const [title, page, reason, isWorthRetrying, limits] of failures) {
    it(`is reported: ${title}`, async (t) =>
      assertFailed(await getPage(t, page, nothingKnown, limits), reason, isWorthRetrying));
  }

  it('is reported: a redirect loop over several addresses', async (t) => {
    const base = await listServer(t, { '/a': to('/b'), '/b': to('/c', 301), '/c': to('/a', 307) });
    assertFailed(await get(t, `${base}/a`), /in a circle/, false);
  });

  it('is not a body longer than its Content-Length: the rest is ignored', async (t) => {
    const page: Page = ({ socket }) =>
      void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\nads.example\nmore.example\n');
    assert.equal((await getPage(t, page)).text, 'ads.example\n');
  });

  it('is reported: two different Content-Length headers', async (t) => {
    const page: Page = ({ socket }) =>
      void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 12\r\ncontent-length: 5\r\n\r\nads.example\n');
    assertFailed(await getPage(t, page), /does not speak valid HTTP/, false);
  });

  it('is reported: connection refused', async (t) => {
    const base = await listServer(t, {});
    const { port } = new URL(base);
    // The server listens on 127.0.0.1 only.
    assertFailed(await get(t, `http://127.0.0.99:${port}/`), /refuses connections/, true);
  });

  it('is reported: the name does not resolve', async (t) => {
    const lookup: FetchOptions['lookup'] = (_name, _options, callback) =>
      callback(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), []);
    const got = await get(t, 'http://lists.example/', nothingKnown, { lookup });
    assertFailed(got, /cannot be resolved/, true);
  });

  it('is reported: the name lookup times out', async (t) => {
    const limits = { ...testLimits, connectMs: 200 };
    const got = await get(t, 'http://lists.example/', nothingKnown, { lookup: () => undefined, limits });
    assertFailed(got, /no connection within 200 ms/, true);
  });

  it('is reported without passwords and tokens of the address', async (t) => {
    const { host } = new URL(await listServer(t, {}));
    const { outcome } = await get(t, `http://me:secret@${host}/list?token=secret`);
    assert.ok(outcome.kind === 'failed');
    assert.doesNotMatch(outcome.reason, /secret/);
  });

  it('is reported: the program stops during the fetch', async (t) => {
    const stop = new AbortController();
    const base = await listServer(t, { '/list': () => setTimeout(() => stop.abort(), 50) });
    const got = await get(t, `${base}/list`, nothingKnown, { signal: stop.signal });
    assertFailed(got, /is stopping/, true);
  });
});

describe('a list by https', () => {
  async function secureServer(t: TestContext, page: Page): Promise<{ base: string; ca: string }> {
    const { cert, key, ca } = await userPair('lists.example', Date.now());
    const server = createServer({ cert, key }, page);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    // A TCP server that listens has an address with a port.
    return { base: `https://lists.example:${(server.address() as AddressInfo).port}`, ca };
  }
  const lookup: FetchOptions['lookup'] = (_name, _options, callback) =>
    callback(null, [{ address: '127.0.0.1', family: 4 }]);

  it('is fetched only from a server with a trusted certificate for the host name', async (t) => {
    const { base, ca } = await secureServer(t, textPage(text));
    assert.equal((await get(t, `${base}/list`, nothingKnown, { lookup, ca })).text, text);
    const untrusted = await get(t, `${base}/list`, nothingKnown, { lookup });
    assertFailed(untrusted, /certificate is not valid/, false);
    const other = await get(t, base.replace('lists.', 'other.'), nothingKnown, { lookup, ca });
    assertFailed(other, /certificate is not valid/, false);
  });

  it('does not follow a redirect to plain http', async (t) => {
    const { base, ca } = await secureServer(t, to('http://lists.example/plain'));
    const got = await get(t, base, nothingKnown, { lookup, ca });
    assertFailed(got, /lists\.example\/plain, without encryption/, false);
  });
});

describe('a list in a file', () => {
  it('is read again only after it has changed', async (t) => {
    const path = join(temporaryFolder(t), 'my list.txt');
    writeFileSync(path, text);
    const address = pathToFileURL(path).href;
    const { outcome, text: got } = await get(t, address);
    assert.ok(outcome.kind === 'changed');
    assert.equal(got, text);
    assert.equal((await get(t, address, outcome)).outcome.kind, 'unchanged');
    writeFileSync(path, `${text}more.example\n`);
    assert.equal((await get(t, address, outcome)).outcome.kind, 'changed');
  });

  it('that cannot be read is reported', async (t) => {
    const folder = temporaryFolder(t);
    const own = join(folder, 'data');
    mkdirSync(own);
    writeFileSync(join(own, 'secret'), text);
    symlinkSync(join(own, 'secret'), join(folder, 'link'));
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe')]);
    const rows: readonly (readonly [string, RegExp])[] = [
      ['nothing', /no such file/],
      ['', /not a regular file|a folder/],
      ['pipe', /not a regular file/],
      ['data/secret', /files of the data folder/],
      ['link', /files of the data folder/],
    ];
    for (const [name, reason] of rows) {
      const address = pathToFileURL(join(folder, name)).href;
      assertFailed(await get(t, address, nothingKnown, { forbiddenFolder: own }), reason, false);
    }
    const elsewhere = await get(t, 'file://other/list');
    assertFailed(elsewhere, /^file:\/\/other\/list: not a file on this machine; write file:/u, false);
  });
});

describe('the address of a list', () => {
  it('may be that of the built-in list', async (t) => {
    const got = await get(t, builtInAddress);
    assert.equal(got.text, builtInText);
    assert.ok(got.outcome.kind === 'changed');
    assert.equal((await get(t, builtInAddress, got.outcome)).outcome.kind, 'unchanged');
  });

  it('is reported when it is not a URL or has an unsupported scheme', async (t) => {
    const rows: readonly (readonly [string, RegExp])[] = [
      ['ftp://lists.example/', /not by ftp:/],
      ['lists.example', /not a valid URL/],
      ['', /not a valid URL/],
      [`http://lists.example/${'a'.repeat(apiLimits.listAddressLength)}`, /not a valid URL/],
      ['data:text/plain,ads.example', /not by data:/],
    ];
    for (const [address, reason] of rows) assertFailed(await get(t, address), reason, false);
  });
});
