import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findSessionId, type RequestHeaders } from './find-session-id.ts';
import { csrfOf, isCsrfOf, newSessionId, sessionKey } from './session-id.ts';

describe('findSessionId', () => {
  const cases: readonly (readonly [
    what: string,
    headers: RequestHeaders,
    query: string | undefined,
    body: string | undefined,
    expected: object,
  ])[] = [
    ['no session id', {}, undefined, undefined, { way: 'none' }],
    ['the header X-SVC-SID', { 'x-svc-sid': 'a' }, undefined, undefined, { way: 'plain', sid: 'a' }],
    ['the header X-FTL-SID', { 'x-ftl-sid': 'a' }, undefined, undefined, { way: 'plain', sid: 'a' }],
    ['the header sid', { sid: 'a' }, undefined, undefined, { way: 'plain', sid: 'a' }],
    ['the query', {}, 'a', undefined, { way: 'plain', sid: 'a' }],
    ['the body', {}, undefined, 'a', { way: 'plain', sid: 'a' }],
    ['three equal ids', { 'x-svc-sid': 'a' }, 'a', 'a', { way: 'plain', sid: 'a' }],
    ['different ids in header and query', { sid: 'a' }, 'b', undefined, { way: 'conflict' }],
    ['different ids in query and body', {}, 'a', 'b', { way: 'conflict' }],
    [
      'different ids in two headers',
      { sid: 'a', 'x-svc-sid': 'b' },
      undefined,
      undefined,
      { way: 'conflict' },
    ],
    ['empty ids', { sid: '' }, '', '', { way: 'none' }],
    [
      'a cookie',
      { cookie: 'x=1; sid=a; y=2' },
      undefined,
      undefined,
      { way: 'cookie', sid: 'a', csrf: undefined },
    ],
    [
      'a cookie with a CSRF token',
      { cookie: 'sid=a', 'x-svc-csrf': 't' },
      undefined,
      undefined,
      { way: 'cookie', sid: 'a', csrf: 't' },
    ],
    [
      'a cookie with X-FTL-CSRF',
      { cookie: 'sid=a', 'x-ftl-csrf': 't' },
      undefined,
      undefined,
      { way: 'cookie', sid: 'a', csrf: 't' },
    ],
    [
      'a cookie with X-CSRF-Token',
      { cookie: 'sid=a', 'x-csrf-token': 't' },
      undefined,
      undefined,
      { way: 'cookie', sid: 'a', csrf: 't' },
    ],
    [
      'a header and a cookie with another id: the header wins',
      { cookie: 'sid=b', sid: 'a' },
      undefined,
      undefined,
      { way: 'plain', sid: 'a' },
    ],
    ['cookies with other names', { cookie: 'asid=a; sid2=b' }, undefined, undefined, { way: 'none' }],
  ];
  for (const [what, headers, query, body, expected] of cases) {
    it(what, () => assert.deepEqual(findSessionId(headers, query, body), expected));
  }
});

describe('session ids', () => {
  it('are long, URL-safe and unique', () => {
    const made = new Set(Array.from({ length: 1_000 }, newSessionId));
    assert.equal(made.size, 1_000);
    for (const sid of made) assert.match(sid, /^[A-Za-z0-9_-]{43}$/);
  });

  it('have a key that does not contain them', () => {
    const sid = newSessionId();
    assert.ok(!(sessionKey(sid) ?? '').includes(sid));
    assert.equal(sessionKey(''), undefined);
    assert.equal(sessionKey('x'.repeat(129)), undefined);
  });

  it('have one CSRF token each', () => {
    const [sid, other] = [newSessionId(), newSessionId()];
    assert.ok(isCsrfOf(sid, csrfOf(sid)));
    for (const wrong of [csrfOf(other), '', 'x', undefined, sid]) assert.equal(isCsrfOf(sid, wrong), false);
  });
});
