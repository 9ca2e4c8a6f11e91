import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clearedCookies, sessionCookie } from './cookie.ts';

const plain = { basePath: '', isTls: false };
const secure = { basePath: '', isTls: true };

describe('the session cookie', () => {
  const table = [
    ['over HTTP', plain, ['Path=/']],
    ['over HTTPS', secure, ['Path=/api', 'Secure']],
    ['over HTTP below a base path', { ...plain, basePath: '/dns/sluice' }, ['Path=/dns/sluice']],
    ['over HTTPS below a base path', { ...secure, basePath: '/sluice' }, ['Path=/sluice/api', 'Secure']],
  ] as const;
  for (const [name, scope, place] of table) {
    it(`${name} has ${place.join(' and ')}`, () =>
      assert.deepEqual(sessionCookie('x', 60, scope).split('; '), [
        'sid=x',
        'HttpOnly',
        'SameSite=Lax',
        'Max-Age=60',
        ...place,
      ]));
  }

  it('over HTTP has no path at or below the path of the Secure one: browsers would refuse it', () => {
    const pathOf = (cookie: string): string => /Path=([^;]*)/.exec(cookie)?.[1] ?? '';
    for (const basePath of ['', '/sluice']) {
      const [below, above] = [
        { ...secure, basePath },
        { ...plain, basePath },
      ].map((scope) => pathOf(sessionCookie('x', 60, scope)));
      assert.ok(below !== above && below?.startsWith(above ?? '-') === true);
    }
  });

  it('is cleared where it was set; over HTTPS also the one of plain HTTP, which HTTPS receives too', () => {
    assert.deepEqual(clearedCookies(plain), ['sid=; HttpOnly; SameSite=Lax; Max-Age=0; Path=/']);
    assert.deepEqual(
      clearedCookies(secure).map((cookie) => cookie.split('; ').slice(3)),
      [
        ['Max-Age=0', 'Path=/api', 'Secure'],
        ['Max-Age=0', 'Path=/'],
      ],
    );
  });
});
