import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endpoints } from '#contract';
import { allowHeader, methodsAt, restName, routerPath, unknownPath } from './paths.ts';

describe('routerPath', () => {
  const cases = [
    ['/api/groups', '/api/groups'],
    ['/api/groups/{name}', '/api/groups/:name'],
    ['/api/groups:batchDelete', '/api/groups::batchDelete'],
    ['/api/revisions/{version}:undo', '/api/revisions/:version([^:]+)::undo'],
    ['/api/config/{element...}', '/api/config/*'],
  ] as const;
  for (const [path, expected] of cases) it(path, () => assert.equal(routerPath(path), expected));
});

describe('methodsAt', () => {
  const cases: readonly (readonly [url: string, methods: readonly string[]])[] = [
    ['/api/groups?x=1', ['GET', 'POST']],
    ['/api/groups/', ['GET', 'POST']],
    ['/api/groups/a%2Fb', ['GET', 'PUT', 'PATCH', 'DELETE']],
    ['/api/config/dns/hosts', ['GET', 'PUT', 'DELETE']],
    ['/api/nothing', []],
  ];
  for (const [url, methods] of cases) it(url, () => assert.deepEqual(methodsAt(endpoints, url), methods));
});

it('the header Allow has HEAD wherever GET is, and OPTIONS', () => {
  assert.equal(allowHeader(['GET', 'PUT']), 'GET, PUT, HEAD, OPTIONS');
  assert.equal(allowHeader(['POST']), 'POST, OPTIONS');
});

it('the rest of a path has a name', () => {
  assert.equal(restName('/api/config/{element...}'), 'element');
  assert.equal(restName('/api/groups/{name}'), undefined);
});

it('requests below /admin get a hint where the API is', () => {
  assert.deepEqual(unknownPath('/admin/api.php', 'sluice.lan'), {
    failure: 'wrongApiPath',
    hint: 'The API is hosted at sluice.lan/api, not sluice.lan/admin/api',
  });
  assert.equal(unknownPath('/x', undefined).failure, 'notFound');
});
