// The name of a group and a regular expression may contain any characters. For every text, the path in
// Location leads to the item, lists and single replies show the text unchanged, and the item can be deleted
// by it.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { boot } from '../running/boot.ts';
import { assertError, at, describe as shown, listAt } from '../running/reply.ts';
import { openClient } from './support/client.ts';
import { quick } from './support/session.ts';

const service = await boot({ env: quick });
after(() => service.stop());
const client = openClient(service);

const names: readonly string[] = [
  'two words',
  ' blanks around ',
  'a/b/c',
  '/',
  '//',
  '...',
  '../..',
  'a.b',
  '100%',
  '%2F',
  '%',
  '%00',
  'a?b=c&d',
  '#fragment',
  'semi;colon',
  'a:b',
  ':batchDelete',
  'x:batchDelete',
  '"quoted"',
  "it's",
  '`tick`',
  '\\back\\slash',
  '<script>alert(1)</script>',
  "'; DROP TABLE groups; --",
  '$&$1\\1',
  '{name}',
  '*',
  '+',
  'ÄÖÜ ß',
  'e\u0301 and é',
  '大家好',
  'שלום',
  '👩‍👩‍👧‍👦',
  '\u200b',
  'tab\tand\nline',
  '__proto__',
  'constructor',
  'toString',
  'null',
  '0',
  '-1',
  'n'.repeat(255),
  '/'.repeat(255),
  'ü'.repeat(255),
];

describe('the name of a group', () => {
  for (const name of names) {
    test(`${JSON.stringify(name).slice(0, 40)} is stored unchanged and found by its path`, async () => {
      const made = await client.send('POST', '/api/groups', { body: { name } });
      assert.equal(made.status, 201, shown(made));
      const location = String(made.headers['location']);
      assert.match(location, /^\/api\/groups\/[!-~]+$/, 'a path of printable ASCII characters');
      const found = await client.send('GET', location);
      assert.equal(found.status, 200, `${location}: ${shown(found)}`);
      assert.equal(at(found.body, 'groups', 0, 'name'), name);
      const patched = await client.send('PATCH', location, { body: { comment: name } });
      assert.equal(at(patched.body, 'groups', 0, 'comment'), name, shown(patched));
      const { body } = await client.send('GET', '/api/groups');
      assert.ok(listAt(body, 'groups').some((group) => at(group, 'name') === name));
      assert.equal((await client.send('DELETE', location)).status, 204);
      assertError(await client.send('GET', location), { status: 404 });
    });
  }

  const refused: readonly (readonly [why: string, name: string])[] = [
    ['too long', 'n'.repeat(256)],
    ['empty', ''],
    ['a NUL', 'a\u0000b'],
    ['a lone surrogate', '\ud800'],
    ['a dot, which clients remove from paths', '.'],
    ['two dots', '..'],
    ['a blank', ' '],
    ['only blanks', '\t \u00a0\n'],
  ];
  for (const [why, name] of refused) {
    test(`is refused with 400: ${why}`, async () => {
      assertError(await client.send('POST', '/api/groups', { body: { name } }), { status: 400 });
    });
  }

  test('that is a dot or blank is refused by PUT, in path and body, and by PATCH', async () => {
    const wanted = { status: 400, key: 'bad_request', message: 'Invalid name of a group' };
    await client.send('PUT', '/api/groups/named', { body: {} });
    for (const name of ['.', '..', ' ']) {
      const path = `/api/groups/${encodeURIComponent(name).replaceAll('.', '%2E')}`;
      assertError(await client.send('PUT', path, { body: {} }), { ...wanted, hint: name });
      assertError(await client.send('PUT', '/api/groups/named', { body: { name } }), wanted);
      assertError(await client.send('PATCH', '/api/groups/named', { body: { name } }), wanted);
      assertError(await client.send('POST', '/api/groups', { body: { name: ['fine', name] } }), wanted);
    }
    assertError(await client.send('GET', '/api/groups/fine'), { status: 404 });
  });

  test('in a path that is not valid UTF-8 gets 400', async () => {
    for (const path of ['%', '%zz', '%ff', '%c3', '%00', `n${'%6e'.repeat(255)}`]) {
      assertError(await client.send('GET', `/api/groups/${path}`), { status: 400 });
    }
  });
});

describe('the text of a regular expression', () => {
  const texts: readonly string[] = [
    '(^|\\.)ads\\.example$',
    '^ad[0-9]+/x$',
    '100%',
    'a|b?c*d+',
    'ÄÖ',
    '.*',
    '..',
    'x;querytype=A',
    'a'.repeat(2_000),
  ];
  for (const domain of texts) {
    test(`${domain.slice(0, 40)} is stored unchanged and found by its path`, async () => {
      const made = await client.send('POST', '/api/domains/deny/regex', { body: { domain } });
      assert.equal(made.status, 201, shown(made));
      const location = String(made.headers['location']);
      const found = await client.send('GET', location);
      assert.equal(at(found.body, 'domains', 0, 'domain'), domain, shown(found));
      assert.equal(at(found.body, 'domains', 0, 'unicode'), domain);
      assert.equal((await client.send('DELETE', location)).status, 204);
    });
  }

  const wrong: readonly (readonly [domain: string, hint: string])[] = [
    ['ab[c', 'missing closing ]: [c, at character 3 of ab[c'],
    ['(', 'missing closing ), at character 1 of ('],
    ['x(*', 'missing argument to repetition operator: *, at character 3 of x(*'],
    ['a{2,1}', 'invalid repeat count: {2,1}, at character 2 of a{2,1}'],
    ['a(?=look)', 'invalid or unsupported Perl syntax: (?=, at character 2 of a(?=look)'],
    ['a;querytype=B', 'Unknown querytype "B", at character 3 of a;querytype=B'],
    ['a;reply=B', 'Unknown reply type "B", at character 3 of a;reply=B'],
    ['a;nonsense', 'Invalid option "nonsense", at character 3 of a;nonsense'],
  ];
  test('that does not compile gets 400 regex_error with a hint about what and where', async () => {
    for (const [domain, hint] of wrong) {
      const reply = await client.send('POST', '/api/domains/deny/regex', { body: { domain } });
      assertError(reply, { status: 400, key: 'regex_error', message: 'Regex validation failed', hint });
    }
  });

  test('is refused when it, or all expressions together, need too many states', async () => {
    const path = '/api/domains/deny/regex';
    const one = await client.send('POST', path, { body: { domain: '([a-z]{50}){50}' } });
    assertError(one, { status: 400, key: 'regex_error' });
    assert.match(String(at(one.body, 'error', 'hint')), /^Too large: .* at character 7 of /);
    const domain = Array.from({ length: 16 }, (_, index) => `[a-z]{990}[0-9]{990}x${index}`);
    const all = await client.send('POST', path, { body: { domain } });
    assert.equal(all.status >= 400, true, shown(all));
    assert.match(String(at(all.body, 'error', 'hint')), /All expressions together may have 30000 signs/);
  });

  test('counts twice towards the limit when denied and allowed, and once when moved', async () => {
    const domain = Array.from({ length: 12 }, (_, index) => `[a-z]{990}[0-9]{990}y${index}`);
    const [denied, allowed] = ['/api/domains/deny/regex', '/api/domains/allow/regex'];
    assert.equal((await client.send('POST', denied, { body: { domain } })).status, 201);
    const twice = await client.send('POST', allowed, { body: { domain } });
    assertError(twice, { status: 400, message: 'The collection is full' });
    for (const text of domain) {
      const body = { type: 'deny', kind: 'regex' };
      const moved = await client.send('PUT', `${allowed}/${encodeURIComponent(text)}`, { body });
      assert.equal(moved.status, 200, shown(moved));
      assert.equal((await client.send('DELETE', `${allowed}/${encodeURIComponent(text)}`)).status, 204);
    }
  });

  test('that matches every name is accepted with a warning', async () => {
    const path = '/api/domains/deny/regex';
    const made = await client.send('POST', path, { body: { domain: ['ads', '.+'], enabled: false } });
    assert.equal(made.status, 201, shown(made));
    const [warning, ...others] = listAt(made.body, 'processed', 'warnings');
    assert.deepEqual([at(warning, 'item'), others], ['.+', []]);
    assert.match(String(at(warning, 'warning')), /matches every name/);
    const put = await client.send('PUT', `${path}/${encodeURIComponent('.+')}`, { body: { enabled: false } });
    assert.equal(at(put.body, 'processed', 'warnings', 0, 'item'), '.+');
    const fine = await client.send('PUT', `${path}/ads`, { body: {} });
    assert.deepEqual(at(fine.body, 'processed'), { success: [{ item: 'ads' }], errors: [] });
  });
});
