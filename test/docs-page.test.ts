// The documentation page in a real browser without internet access: it shows every topic, sends requests only
// to its own origin, violates no rule of its Content-Security-Policy, can try a request, and uses the session
// of a login. The same is tested over HTTPS and behind a proxy that serves the page below a base path. Only
// one case loads the whole OpenAPI document, because that takes a browser seconds.

import assert from 'node:assert/strict';
import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page, Route } from 'playwright-core';

import { boot } from './running/boot.ts';
import { launchBrowser, patienceMs } from './running/browser.ts';
import { at, listAt } from './running/reply.ts';

const triedPath = '/api/health';
const groupsPath = '/api/groups';
const basePath = '/dns/sluice';
const password = 'correct horse battery staple';
const [service, below] = await Promise.all([
  boot({ env: { SLUICE_AUTH_PASSWORD: password } }),
  boot({ env: { SLUICE_WEB_HTTPS: '', SLUICE_WEB_BASE_PATH: basePath } }),
]);
const proxy = await openProxy(below.httpPort);
const proxyUrl = `http://127.0.0.1:${portOf(proxy)}`;
const { topics, operations } = await readDocument();
let browser: Browser;

before(async () => {
  browser = await launchBrowser();
});

after(async () => {
  await browser.close();
  proxy.close();
  proxy.closeAllConnections();
  await Promise.all([service.stop(), below.stop()]);
});

type Row = readonly [name: string, url: string, allowed: string, isWhole?: boolean];
const pages: readonly Row[] = [
  ['over HTTP, from the start page, with the whole document', `${service.http}/`, `${service.http}/`, true],
  ['over HTTPS', `${service.https}/api/docs`, `${service.https}/`],
  ['behind a proxy, from its start page', `${proxyUrl}${basePath}/`, `${proxyUrl}${basePath}/`],
];

describe('the documentation page in a browser', () => {
  for (const [name, url, allowed, isWhole = false] of pages) {
    test(`${name} shows operations, tries one and sends no request to another origin`, async (t) => {
      const { page, seen } = await openPage(url, isWhole ? 'all' : 'few');
      t.after(() => page.context().close());
      await page.locator('.opblock-tag').first().waitFor();
      if (isWhole) await checkGroups(page);
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

  test('with a slash at its end uses the session of a login until the logout', async (t) => {
    const { page, seen } = await openPage(`${service.http}/api/docs/`, 'few');
    t.after(() => page.context().close());
    const state = page.getByRole('status');
    await state.getByText('Log in to try requests').waitFor();
    assert.equal(await tryOperation(page, 'GET', groupsPath), 401);
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await state.getByText('The login failed: Unauthorized').waitFor();
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await state.getByText('You are logged in.').waitFor();
    assert.equal(await tryOperation(page, 'GET', groupsPath), 200);
    await page.reload();
    await state.getByText('You are logged in.').waitFor();
    assert.equal(await tryOperation(page, 'GET', groupsPath), 200);
    await page.getByRole('button', { name: 'Log out' }).click();
    await state.getByText('Log in to try requests').waitFor();
    assert.deepEqual(await violationsOf(page), [], 'violations of the policy');
    assert.ok(seen.requests.every((url) => !url.includes('sid=')));
  });

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

/** Which operations the document has: `none` saves the browser the script that shows them. */
type Shown = 'all' | 'few' | 'none';

async function openPage(url: string, shown: Shown): Promise<{ page: Page; seen: Seen }> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  context.setDefaultTimeout(patienceMs);
  context.setDefaultNavigationTimeout(patienceMs);
  const page = await context.newPage();
  if (shown === 'few') await page.route('**/openapi.json', shorten);
  if (shown === 'none') await page.route('**/*.js', (route) => route.abort());
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
    if (['error', 'warning'].includes(message.type()) && !isLoginCheck(message.location().url))
      seen.complaints.push(message.text());
  });
  page.on('response', (response) => {
    if (response.status() >= 400 && !isLoginCheck(response.url()))
      seen.complaints.push(`${response.status()} ${response.url()}`);
  });
  await page.goto(url);
  // The line about the session moves everything below it.
  if (shown !== 'none') await page.getByRole('status').filter({ hasText: /\S/ }).waitFor();
  return { page, seen };
}

/** The page asks whether it has a session; the answer may be 401. */
function isLoginCheck(url: string): boolean {
  return url.endsWith('/api/auth');
}

/** The service's OpenAPI document with only two paths. */
async function shorten(route: Route): Promise<void> {
  const response = await route.fetch({ timeout: patienceMs });
  const document: unknown = await response.json();
  const paths = [triedPath, groupsPath];
  const left = Object.fromEntries(paths.map((path) => [path, at(document, 'paths', path)]));
  await route.fulfill({ response, json: { ...Object(document), paths: left } });
}

/** The violations that the init script has collected. */
async function violationsOf(page: Page): Promise<readonly unknown[]> {
  const found: unknown = await page.evaluate('window.violations');
  assert.ok(Array.isArray(found));
  return found;
}

/** The topics are collapsed and in the order of the document; the filter shows operations of all topics. */
async function checkGroups(page: Page): Promise<void> {
  const titles = await page
    .locator('.opblock-tag')
    .evaluateAll((all) => all.map((tag) => tag.dataset['tag']));
  assert.deepEqual(titles, topics);
  assert.equal(await page.locator('.opblock').count(), 0);
  const filter = page.locator('.operation-filter-input');
  await filter.fill('/api/AUTH');
  await page.locator('.opblock').first().waitFor();
  const paths = await page
    .locator('.opblock-summary-path')
    .evaluateAll((all) => all.map((one) => one.dataset['path']));
  const expected = operations.filter((path) => path.startsWith('/api/auth'));
  assert.deepEqual(paths, expected.toSorted());
  await filter.fill('');
  await page.locator('.opblock').first().waitFor({ state: 'detached' });
}

async function tryHealth(page: Page): Promise<void> {
  assert.equal(await tryOperation(page, 'GET', triedPath), 200);
}

/** Sends the request of an operation from the page; the status of the reply. */
async function tryOperation(page: Page, method: string, path: string): Promise<number> {
  await page.locator('.operation-filter-input').fill(path);
  const summary = page.locator(`.opblock-summary-path[data-path="${path}"]`);
  const block = page
    .locator('.opblock')
    .filter({ has: summary })
    .filter({ has: page.locator('.opblock-summary-method', { hasText: method }) });
  const status = block.locator('.live-responses-table tbody .response-col_status');
  if (!(await block.getByRole('button', { name: 'Execute' }).isVisible())) {
    await block.locator('.opblock-summary').click();
    await block.getByRole('button', { name: 'Try it out' }).click();
  } else {
    await block.getByRole('button', { name: 'Clear' }).click();
    await status.waitFor({ state: 'detached' });
  }
  await block.getByRole('button', { name: 'Execute' }).click();
  await status.first().waitFor();
  return Number.parseInt((await status.first().textContent()) ?? '', 10);
}

type Document = { readonly topics: readonly string[]; readonly operations: readonly string[] };

/** `operations` has the path of each. */
async function readDocument(): Promise<Document> {
  const { body } = await service.call('GET', '/api/docs/openapi.json');
  const paths = Object.entries(Object(at(body, 'paths')));
  return {
    topics: listAt(body, 'tags').map((tag) => String(at(tag, 'name'))),
    operations: paths.flatMap(([path, methods]) => Object.keys(Object(methods)).map(() => path)),
  };
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
