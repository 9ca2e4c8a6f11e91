import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endpoints } from '#contract';
import { allowHeader, hasInvalidQuery, methodsAt, restName, routerPath, unknownPath } from './paths.ts';

describe('routerPath', () => {
  const cases = [
    ['/api/groups', '/api/groups'],
    ['/api/groups/{name}', '/api/groups/:name'],
    ['/api/groups:batchDelete', '/api/groups::batchDelete'],
    ['/api/revisions/{version}:undo', '/api/revisions/:version([^:]+)::undo'],
    ['/api/config/{element...}', '/api/config/*'],
  ] as const;
  for (const [path, expected] of cases)
    it(`${path} is ${expected}`, () => assert.equal(routerPath(path), expected));
});

describe('methodsAt', () => {
  const cases: readonly (readonly [url: string, methods: readonly string[]])[] = [
    ['/api/groups?x=1', ['GET', 'POST']],
    ['/api/groups/', ['GET', 'POST']],
    ['/api/groups/a%2Fb', ['GET', 'PUT', 'PATCH', 'DELETE']],
    ['/api/config/dns/hosts', ['GET', 'PUT', 'DELETE']],
    ['/api/nothing', []],
  ];
  for (const [url, methods] of cases)
    it(`${url} has ${methods.join(', ') || 'no methods'}`, () =>
      assert.deepEqual(methodsAt(endpoints, url), methods));
});

describe('hasInvalidQuery', () => {
  const cases: readonly (readonly [url: string, isInvalid: boolean])[] = [
    ['/api/groups', false],
    ['/api/groups?', false],
    ['/api/groups?a=b+c&d', false],
    ['/api/groups?a=%C3%BC%20', false],
    ['/api/%ff?a=b', false],
    ['/api/groups?a=%ff', true],
    ['/api/groups?a=%', true],
    ['/api/groups?%zz=1', true],
    ['/api/groups?a=%C3', true],
    ['/api/groups?a=%00', true],
  ];
  for (const [url, isInvalid] of cases)
    it(`${url}: ${isInvalid}`, () => assert.equal(hasInvalidQuery(url), isInvalid));
});

it('the header Allow contains HEAD if it contains GET, and always OPTIONS', () => {
  assert.equal(allowHeader(['GET', 'PUT']), 'GET, PUT, HEAD, OPTIONS');
  assert.equal(allowHeader(['POST']), 'POST, OPTIONS');
});

it('restName is the name of the rest parameter', () => {
  assert.equal(restName('/api/config/{element...}'), 'element');
  assert.equal(restName('/api/groups/{name}'), undefined);
});

it('requests below /admin/api get a hint with the path of the API', () => {
  assert.deepEqual(unknownPath('/admin/api.php', 'sluice.lan'), {
    failure: 'wrongApiPath',
    hint: 'The API is hosted at sluice.lan/api, not sluice.lan/admin/api',
  });
  assert.equal(unknownPath('/x', undefined).failure, 'notFound');
});
