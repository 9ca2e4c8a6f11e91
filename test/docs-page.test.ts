// The documentation page in a real browser without internet access: it shows every operation, sends requests
// only to its own origin, violates no rule of its Content-Security-Policy, and can try a request. The same is
// tested over HTTPS and behind a proxy that serves the page below a base path. Only one case shows all
// operations, because that takes a browser ten seconds; in the others a few are enough.

import assert from 'node:assert/strict';
import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { chromium, type Browser, type Page, type Route } from 'playwright-core';

import { boot } from './running/boot.ts';
import { atEnd } from './running/leftovers.ts';
import { at } from './running/reply.ts';

/** Long enough for a browser on a busy machine; a page that never loads still fails the test. */
const patienceMs = 200_000;
const triedPath = '/api/health';
const basePath = '/dns/sluice';
const [service, below] = await Promise.all([
  boot(),
  boot({ env: { SLUICE_WEB_HTTPS: '', SLUICE_WEB_BASE_PATH: basePath } }),
]);
const proxy = await openProxy(below.httpPort);
const proxyUrl = `http://127.0.0.1:${portOf(proxy)}`;
const operationCount = await countOperations();
let browser: Browser;

before(async () => {
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    timeout: patienceMs,
    args: [
      // Chromium has no sandbox as root; the pages are our own.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
      '--disable-background-networking',
      '--disable-dev-shm-usage',
    ],
  });
  atEnd(() => void browser.close().catch(() => undefined));
});

after(async () => {
  await browser.close();
  proxy.close();
  proxy.closeAllConnections();
  await Promise.all([service.stop(), below.stop()]);
});

type Row = readonly [name: string, url: string, allowed: string, isWhole?: boolean];
const pages: readonly Row[] = [
  ['over HTTP, from the start page, with all operations', `${service.http}/`, `${service.http}/`, true],
  ['with a slash at its end', `${service.http}/api/docs/`, `${service.http}/`],
  ['over HTTPS', `${service.https}/api/docs`, `${service.https}/`],
  ['behind a proxy, from its start page', `${proxyUrl}${basePath}/`, `${proxyUrl}${basePath}/`],
];

describe('the documentation page in a browser', () => {
  for (const [name, url, allowed, isWhole = false] of pages) {
    test(`${name} shows operations, tries one and sends no request to another origin`, async (t) => {
      const { page, seen } = await openPage(url, isWhole ? 'all' : 'one');
      t.after(() => page.context().close());
      await page.locator('.opblock').first().waitFor();
      assert.equal(await page.locator('.opblock').count(), isWhole ? operationCount : 1);
      assert.match(await page.title(), /Sluice/);
      await tryHealth(page);
      const elsewhere = seen.requests.filter(
        (asked) => !asked.startsWith(allowed) && !/^(?:data|blob):/.test(asked),
      );
      assert.deepEqual(elsewhere, [], 'requests to other servers');
      assert.deepEqual(seen.complaints, [], 'complaints of the browser');
      assert.deepEqual(await violationsOf(page), [], 'violations of the policy');
    });
  }

  test('reports what its Content-Security-Policy forbids', async (t) => {
    const { page } = await openPage(`${service.http}/api/docs`, 'none');
    t.after(() => page.context().close());
    await page.evaluate(
      `document.body.insertAdjacentHTML('beforeend', '<img src="http://127.0.0.1:9/x.png">')`,
    );
    await page.waitForFunction('window.violations.length > 0');
    assert.equal((await violationsOf(page)).length, 1);
  });
});

type Seen = { readonly requests: string[]; readonly complaints: string[] };

/** Which operations are shown: `none` saves the browser the script that shows them. */
type Shown = 'all' | 'one' | 'none';

async function openPage(url: string, operations: Shown): Promise<{ page: Page; seen: Seen }> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  context.setDefaultTimeout(patienceMs);
  context.setDefaultNavigationTimeout(patienceMs);
  const page = await context.newPage();
  if (operations === 'one') await page.route('**/openapi.json', shorten);
  if (operations === 'none') await page.route('**/*.js', (route) => route.abort());
  const seen: Seen = { requests: [], complaints: [] };
  await page.addInitScript(`
    window.violations = [];
    document.addEventListener('securitypolicyviolation', (event) => window.violations.push(
      event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile + ':' + event.lineNumber));
  `);
  page.on('request', (request) => seen.requests.push(request.url()));
  page.on('requestfailed', (request) => seen.complaints.push(`failed: ${request.url()}`));
  page.on('pageerror', (error) => seen.complaints.push(String(error)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) seen.complaints.push(message.text());
  });
  page.on('response', (response) => {
    if (response.status() >= 400) seen.complaints.push(`${response.status()} ${response.url()}`);
  });
  await page.goto(url);
  return { page, seen };
}

/** The service's OpenAPI document with only one path. */
async function shorten(route: Route): Promise<void> {
  const response = await route.fetch({ timeout: patienceMs });
  const document: unknown = await response.json();
  const left = { [triedPath]: at(document, 'paths', triedPath) };
  await route.fulfill({ response, json: { ...Object(document), paths: left } });
}

/** The violations that the init script has collected. */
async function violationsOf(page: Page): Promise<readonly unknown[]> {
  const found: unknown = await page.evaluate('window.violations');
  assert.ok(Array.isArray(found));
  return found;
}

/** Opens one operation and sends its request from the page. */
async function tryHealth(page: Page): Promise<void> {
  const block = page.locator('.opblock').filter({ hasText: triedPath }).first();
  await block.locator('.opblock-summary').click();
  await block.getByRole('button', { name: 'Try it out' }).click();
  await block.getByRole('button', { name: 'Execute' }).click();
  const status = block.locator('.live-responses-table .response-col_status').last();
  await status.waitFor();
  assert.match((await status.textContent()) ?? '', /200/);
}

async function countOperations(): Promise<number> {
  const { body } = await service.call('GET', '/api/docs/openapi.json');
  return Object.values(Object(at(body, 'paths'))).flatMap((path) => Object.keys(Object(path))).length;
}

/** Forwards requests below the base path unchanged, and answers all others with 404. */
async function openProxy(port: number): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    if (path?.startsWith(`${basePath}/`) !== true) {
      outgoing.writeHead(404).end();
      return;
    }
    const onward = forward({ host: '127.0.0.1', port, method, path, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  return server;
}

function portOf(server: Server): number {
  // The address of a server that listens on a port is an object.
  return (server.address() as AddressInfo).port;
}
