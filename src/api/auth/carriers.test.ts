import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { carriedBy, type CarriedHeaders } from './carriers.ts';
import { csrfOf, isCsrfOf, newSessionId, sessionKey } from './session-id.ts';

describe('carriedBy', () => {
  const cases: readonly (readonly [
    what: string,
    headers: CarriedHeaders,
    query: string | undefined,
    body: string | undefined,
    expected: object,
  ])[] = [
    ['nothing', {}, undefined, undefined, { way: 'none' }],
    ['X-SVC-SID', { 'x-svc-sid': 'a' }, undefined, undefined, { way: 'plain', sid: 'a' }],
    ['X-FTL-SID', { 'x-ftl-sid': 'a' }, undefined, undefined, { way: 'plain', sid: 'a' }],
    ['sid', { sid: 'a' }, undefined, undefined, { way: 'plain', sid: 'a' }],
    ['the query', {}, 'a', undefined, { way: 'plain', sid: 'a' }],
    ['the body', {}, undefined, 'a', { way: 'plain', sid: 'a' }],
    ['three that agree', { 'x-svc-sid': 'a' }, 'a', 'a', { way: 'plain', sid: 'a' }],
    ['header and query that disagree', { sid: 'a' }, 'b', undefined, { way: 'conflict' }],
    ['query and body that disagree', {}, 'a', 'b', { way: 'conflict' }],
    ['two headers that disagree', { sid: 'a', 'x-svc-sid': 'b' }, undefined, undefined, { way: 'conflict' }],
    ['empty ones', { sid: '' }, '', '', { way: 'none' }],
    [
      'a cookie',
      { cookie: 'x=1; sid=a; y=2' },
      undefined,
      undefined,
      { way: 'cookie', sid: 'a', csrf: undefined },
    ],
    [
      'a cookie and its token',
      { cookie: 'sid=a', 'x-svc-csrf': 't' },
      undefined,
      undefined,
      { way: 'cookie', sid: 'a', csrf: 't' },
    ],
    [
      'a cookie, token of FTL',
      { cookie: 'sid=a', 'x-ftl-csrf': 't' },
      undefined,
      undefined,
      { way: 'cookie', sid: 'a', csrf: 't' },
    ],
    [
      'a cookie, old token',
      { cookie: 'sid=a', 'x-csrf-token': 't' },
      undefined,
      undefined,
      { way: 'cookie', sid: 'a', csrf: 't' },
    ],
    [
      'a header beside another cookie',
      { cookie: 'sid=b', sid: 'a' },
      undefined,
      undefined,
      { way: 'plain', sid: 'a' },
    ],
    ['a cookie of another name', { cookie: 'asid=a; sid2=b' }, undefined, undefined, { way: 'none' }],
  ];
  for (const [what, headers, query, body, expected] of cases) {
    it(what, () => assert.deepEqual(carriedBy(headers, query, body), expected));
  }
});

describe('session ids', () => {
  it('are long, URL-safe and never the same', () => {
    const made = new Set(Array.from({ length: 1_000 }, newSessionId));
    assert.equal(made.size, 1_000);
    for (const sid of made) assert.match(sid, /^[A-Za-z0-9_-]{43}$/);
  });

  it('have a key that does not show them', () => {
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
