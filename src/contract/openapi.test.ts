import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { endpoints } from './api/table.ts';
import { commonErrors, endpoint, type Endpoint } from './endpoint.ts';
import { errors } from './errors/errors.ts';
import { openApiDocument } from './openapi.ts';

const table: Record<string, Endpoint> = endpoints;

describe('the table of endpoints', () => {
  it('has each method and path once', () => {
    const pairs = Object.values(table).map(({ method, path }) => `${method} ${path}`);
    assert.equal(new Set(pairs).size, pairs.length);
  });

  for (const [name, declared] of Object.entries(table)) {
    it(`${name}: examples match their schemas`, () => {
      for (const reply of Object.values(declared.replies)) {
        if (reply.body === null || typeof reply.body === 'string') continue;
        assert.ok(reply.example, 'has an example');
        assert.deepEqual(Compile(reply.body).Errors(reply.example), []);
      }
      if (declared.body !== undefined)
        assert.deepEqual(Compile(declared.body).Errors(declared.bodyExample), []);
    });

    it(`${name}: parameters of the path are declared`, () => {
      const inPath = [...declared.path.matchAll(/\{(\w+)/g)].map((match) => match[1]);
      assert.deepEqual(Object.keys(declared.params?.properties ?? {}), inPath);
    });
  }
});

describe('the OpenAPI document', () => {
  const document = openApiDocument(table, { version: '1.2.3', serverUrl: '/base' });

  it('contains the version and every endpoint', () => {
    assert.equal(JSON.parse(JSON.stringify(document)).info.version, '1.2.3');
    const text = JSON.stringify(document);
    for (const name of Object.keys(table)) assert.ok(text.includes(`"operationId":"${name}"`), name);
  });

  it('lists all statuses of an endpoint, its own and the common ones', () => {
    const { paths } = JSON.parse(JSON.stringify(document));
    for (const declared of Object.values(table)) {
      const operation = paths[declared.path.replace('...}', '}')][declared.method.toLowerCase()];
      const expected = [
        ...Object.keys(declared.replies),
        ...(declared.hasTag === true ? ['304'] : []),
        ...[...declared.errors, ...commonErrors(declared)].map((error) => String(errors[error].status)),
      ];
      assert.deepEqual(Object.keys(operation.responses).toSorted(), [...new Set(expected)].toSorted());
    }
  });

  it('refuses two schemas with the same title', () => {
    const reply = (body: ReturnType<typeof Type.Object>) => ({ 200: { description: 'x', body } });
    const common = { method: 'GET', topic: 'service', access: 'open', summary: 'x', errors: [] } as const;
    const one = endpoint({
      ...common,
      path: '/a',
      replies: reply(Type.Object({ x: Type.Object({}, { title: 'T' }) })),
    });
    const two = endpoint({
      ...common,
      path: '/b',
      replies: reply(Type.Object({ x: Type.Object({ y: Type.Null() }, { title: 'T' }) })),
    });
    assert.throws(() => openApiDocument({ one, two }, { version: '1', serverUrl: '/' }), /title T/);
  });
});
