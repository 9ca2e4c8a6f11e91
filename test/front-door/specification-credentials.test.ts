// The specification's section on authentication: the four ways to send a SID, the cookie and its CSRF token,
// and the reply to a missing or invalid credential. matrix.test.ts tests their combinations; here each
// statement has its own test.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { launchBrowser, patienceMs } from '../running/browser.ts';
import { assertError, at, describe as shown, type Reply } from '../running/reply.ts';
import { openClient } from './support/client.ts';
import { bootWithPassword, byCookie, bySid, login, password, openSession } from './support/session.ts';

const service = await bootWithPassword({
  env: { SLUICE_AUTH_MAX_SESSIONS: '100', SLUICE_WEB_HTTPS: '127.0.0.1:0' },
});
after(() => service.stop());
const client = openClient(service);
const session = await openSession(client);
const unauthorized = { status: 401, key: 'unauthorized', message: 'Unauthorized', hint: null };
const path = '/api/groups';

describe('"the SID is supplied in exactly one of four ways"', () => {
  const ways: Readonly<Record<string, () => Promise<Reply>>> = {
    'query parameter `sid=<URL-encoded SID>`': () =>
      client.send('GET', `${path}?sid=${encodeURIComponent(session.sid)}`),
    'query parameter, each character escaped': () =>
      client.send('GET', `${path}?sid=${escaped(session.sid)}`),
    'query parameter beside another': () => client.send('GET', `/api/revisions?count=1&sid=${session.sid}`),
    'request body, JSON field `sid`, with GET': () =>
      client.send('GET', path, { body: { sid: session.sid } }),
    'request body, JSON field `sid`, with POST': () =>
      client.send('POST', '/api/dns/blocking', { body: { blocking: true, sid: session.sid } }),
    'header `X-SVC-SID`': () => client.send('GET', path, { headers: { 'X-SVC-SID': session.sid } }),
    'header `x-svc-sid`, names of headers have no case': () =>
      client.send('GET', path, { headers: { 'x-svc-sid': session.sid } }),
    'header `X-FTL-SID`, for existing clients': () =>
      client.send('GET', path, { headers: { 'X-FTL-SID': session.sid } }),
    'header `sid`, for existing clients': () => client.send('GET', path, { headers: { sid: session.sid } }),
    'cookie `sid=<SID>`': () => client.send('GET', path, { headers: byCookie(session) }),
    'cookie among others': () =>
      client.send('GET', path, {
        headers: { ...byCookie(session), cookie: `theme=dark; sid=${session.sid}; lang=de` },
      }),
  };
  for (const [way, send] of Object.entries(ways)) {
    test(way, async () => {
      const reply = await send();
      assert.equal(reply.status, 200, shown(reply));
      assert.equal(at(reply.body, 'ignored'), undefined, 'a SID is not an unknown field');
    });
  }

  test('other ways are not accepted: Basic, Bearer, a password in the query', async () => {
    const basic = Buffer.from(`admin:${password}`).toString('base64');
    for (const authorization of [`Basic ${basic}`, `Bearer ${session.sid}`]) {
      assertError(await client.send('GET', path, { headers: { authorization } }), unauthorized);
    }
    const query = `${path}?password=${encodeURIComponent(password)}`;
    assertError(await client.send('GET', query), unauthorized);
  });

  test('two SIDs that agree are accepted', async () => {
    const ask = { headers: bySid(session), body: { sid: session.sid } };
    assert.equal((await client.send('GET', `${path}?sid=${session.sid}`, ask)).status, 200);
  });

  test('two SIDs that disagree get 400, even if one is valid', async () => {
    const other = await openSession(client);
    for (const sid of ['unknown', other.sid]) {
      const byQuery = await client.send('GET', `${path}?sid=${sid}`, { headers: bySid(session) });
      assertError(byQuery, { status: 400, key: 'bad_request' });
      const byBody = await client.send('GET', path, { headers: bySid(session), body: { sid } });
      assertError(byBody, { status: 400, key: 'bad_request' });
    }
    const spellings = { 'X-SVC-SID': session.sid, 'X-FTL-SID': other.sid };
    assertError(await client.send('GET', path, { headers: spellings }), { status: 400 });
  });

  test('a SID in a body that is not valid JSON is ignored', async () => {
    assertError(await client.send('GET', path, { body: `{"sid":"${session.sid}"` }), unauthorized);
    const sid = { sid: { is: session.sid } };
    assertError(await client.send('GET', path, { body: sid }), unauthorized);
    assertError(await client.send('GET', path, { body: [{ sid: session.sid }] }), unauthorized);
  });
});

describe('"with the cookie method the request must also carry the header `X-SVC-CSRF`"', () => {
  const cookie = `sid=${session.sid}`;
  for (const name of ['X-SVC-CSRF', 'X-FTL-CSRF', 'X-CSRF-TOKEN']) {
    test(`${name} is accepted`, async () => {
      const headers = { cookie, [name]: session.csrf };
      assert.equal((await client.send('GET', path, { headers })).status, 200);
      assertError(await client.send('GET', path, { headers: { cookie, [name]: 'wrong' } }), unauthorized);
    });
  }

  test('401 otherwise, including GET', async () => {
    assertError(await client.send('GET', path, { headers: { cookie } }), unauthorized);
    assertError(await client.send('GET', path, { headers: { cookie, 'X-SVC-CSRF': '' } }), unauthorized);
  });

  test('401 otherwise, including logout, which then does not end the session', async () => {
    const own = await openSession(client);
    const headers = { cookie: `sid=${own.sid}` };
    assertError(await client.send('DELETE', '/api/auth', { headers }), unauthorized);
    assert.equal((await client.send('GET', path, { headers: bySid(own) })).status, 200);
  });

  test('"the header example also shows the CSRF header sent together with the header method"', async () => {
    for (const csrf of [session.csrf, 'wrong', '']) {
      const headers = { 'X-SVC-SID': session.sid, 'X-SVC-CSRF': csrf };
      assert.equal((await client.send('GET', path, { headers })).status, 200);
    }
  });

  test('a cookie is ignored when a SID comes by header, body or query', async () => {
    const stale = { cookie: 'sid=stale' };
    const byHeader = await client.send('GET', path, { headers: { ...stale, ...bySid(session) } });
    const byQuery = await client.send('GET', `${path}?sid=${session.sid}`, { headers: stale });
    const byBody = await client.send('GET', path, { headers: stale, body: { sid: session.sid } });
    assert.deepEqual([byHeader.status, byQuery.status, byBody.status], [200, 200, 200]);
    const unknown = await client.send('GET', path, { headers: { ...byCookie(session), sid: 'unknown' } });
    assertError(unknown, unauthorized);
  });
});

describe('"the session cookie is HttpOnly and uses the SameSite attribute"', () => {
  const attributes = (reply: Reply): string[] => String(reply.headers['set-cookie']).split('; ').toSorted();

  test('over HTTP', async () => {
    const reply = await login(client, password);
    const sid = String(at(reply.body, 'session', 'sid'));
    const wanted = ['HttpOnly', 'Max-Age=1800', 'Path=/', 'SameSite=Lax', `sid=${sid}`];
    assert.deepEqual(attributes(reply), wanted);
  });

  for (const via of ['https', 'h2'] as const) {
    test(`and Secure over ${via}`, async () => {
      const secure = openClient(service, { via });
      const reply = await login(secure, password);
      assert.ok(attributes(reply).includes('Secure'), shown(reply));
      const own = String(at(reply.body, 'session', 'sid'));
      const csrf = String(at(reply.body, 'session', 'csrf'));
      const next = await secure.send('GET', path, { headers: byCookie({ sid: own, csrf }) });
      assert.ok(attributes(next).includes('Secure'), shown(next));
    });
  }

  test('it is renewed with every successful reply to a cookie, and not with other ways', async () => {
    const renewed = await client.send('GET', path, { headers: byCookie(session) });
    assert.match(String(renewed.headers['set-cookie']), /^sid=.*Max-Age=1800/);
    const failed = await client.send('GET', '/api/groups/absent', { headers: byCookie(session) });
    assert.equal(failed.headers['set-cookie'], undefined);
    const plain = await client.send('GET', path, { headers: bySid(session) });
    assert.equal(plain.headers['set-cookie'], undefined);
  });

  test('logout clears it', async () => {
    const own = await openSession(client);
    const gone = await client.send('DELETE', '/api/auth', { headers: byCookie(own) });
    assert.equal(gone.status, 410);
    const cleared = attributes(gone);
    assert.ok(cleared.includes('sid=') && cleared.includes('Max-Age=0') && cleared.includes('Path=/'));
  });

  test('its path and Location are below web.basePath', async () => {
    const set = (basePath: string) =>
      service.call('PATCH', '/api/config', { via: 'control', body: { config: { web: { basePath } } } });
    assert.equal((await set('/sluice')).status, 200);
    const own = await login(client, password);
    assert.ok(attributes(own).includes('Path=/sluice'), shown(own));
    const renewed = await client.send('GET', '/sluice/api/groups', { headers: byCookie(session) });
    assert.ok(attributes(renewed).includes('Path=/sluice'), shown(renewed));
    const secure = await login(openClient(service, { via: 'https' }), password);
    assert.ok(attributes(secure).includes('Path=/sluice/api'), shown(secure));
    const made = await client.send('PUT', '/api/groups/below', { body: {}, headers: bySid(session) });
    assert.equal(made.headers['location'], '/sluice/api/groups/below');
    assert.equal((await set('')).status, 200);
  });
});

describe('one browser that logs in over HTTPS and then over HTTP', () => {
  // Chromium treats localhost and addresses of loopback as secure, so a host name is used.
  const name = 'sluice.lan';

  test('is logged in over both, with a session of its own each', async (t) => {
    const browser = await launchBrowser([name]);
    t.after(() => browser.close());
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    const visit = (scheme: string) => {
      const port = scheme === 'https' ? service.httpsPort : service.httpPort;
      return page.goto(`${scheme}://${name}:${port}/api/health`, { timeout: patienceMs });
    };
    /** What a script of the page gets: status, session id and CSRF token. */
    const ask = async (method: string, options = '{}'): Promise<readonly unknown[]> => {
      const script = `fetch('/api/auth', { method: '${method}', ...${options} }).then(async (reply) => {
        const { session } = reply.status === 410 ? {} : await reply.json();
        return [reply.status, session?.sid, session?.csrf];
      })`;
      const found: unknown = await page.evaluate(script);
      assert.ok(Array.isArray(found));
      return found;
    };
    const body = JSON.stringify({ body: JSON.stringify({ password }) });

    await visit('https');
    const [status, , secureCsrf] = await ask('POST', body);
    assert.equal(status, 200);
    assert.deepEqual(await ask('GET'), [200, null, secureCsrf]);

    await visit('http');
    assert.equal((await ask('GET'))[0], 401, 'The Secure cookie stays with HTTPS.');
    const [plainStatus, , plainCsrf] = await ask('POST', body);
    assert.equal(plainStatus, 200);
    assert.deepEqual(await ask('GET'), [200, null, plainCsrf], 'The browser refused the cookie of HTTP.');

    await visit('https');
    assert.deepEqual(await ask('GET'), [200, null, secureCsrf]);
    const token = JSON.stringify({ headers: { 'X-SVC-CSRF': secureCsrf } });
    assert.equal((await ask('DELETE', token))[0], 410);
    assert.equal((await ask('GET'))[0], 401, 'The cookie of HTTP still logs in over HTTPS.');
  });
});

describe('"a missing or invalid credential on a protected endpoint gives 401"', () => {
  const invalid: Readonly<Record<string, string>> = {
    missing: '',
    unknown: 'A'.repeat(43),
    'cut short': session.sid.slice(0, -1),
    'one letter more': `${session.sid}A`,
    'upper case': session.sid.toUpperCase(),
    'very long': 'A'.repeat(5_000),
    'the csrf': session.csrf,
    'an SQL text': "' OR 1=1 --",
    'the password': password,
  };
  for (const [name, sid] of Object.entries(invalid)) {
    test(name, async () => {
      assertError(await client.send('GET', path, { headers: { 'X-SVC-SID': sid } }), unauthorized);
      assertError(await client.send('GET', `${path}?sid=${encodeURIComponent(sid)}`), unauthorized);
      assertError(await client.send('GET', path, { body: { sid } }), unauthorized);
    });
  }
});

function escaped(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}
