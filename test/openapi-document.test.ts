// The served OpenAPI document is complete, consistent and passes a linter. openapi-properties.test.ts checks
// that the service replies as it declares.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { boot } from './running/boot.ts';
import { temporaryFolder } from './running/folder.ts';
import { readDocument, type Operation } from './running/openapi.ts';
import { root } from './running/program.ts';
import { at, listAt } from './running/reply.ts';

const service = await boot();
after(() => service.stop());
const served = await service.call('GET', '/api/docs/openapi.json');
const document = readDocument(served.body);

/** Statuses that every operation may return. */
const everywhere = ['400', '403', '413', '421', '429', '500', '503'];

describe('each operation is described:', () => {
  for (const operation of document.operations) {
    const { method, path, declared } = operation;
    const here = ['paths', path, method.toLowerCase()];
    const name = `${method} ${path}`;

    test(`${name} has summary, id and topic`, () => {
      assert.match(String(at(declared, 'summary')), /^\p{Lu}.{5,}[^.]$/u);
      assert.match(String(at(declared, 'operationId')), /^[a-z][A-Za-z]+$/);
      assert.equal(listAt(declared, 'tags').length, 1);
    });

    test(`${name} has all statuses, each with a description`, () => {
      const responses = Object(at(declared, 'responses'));
      const statuses = Object.keys(responses);
      const needed = [...everywhere, ...(listAt(declared, 'security').length > 0 ? ['401'] : [])];
      assert.deepEqual(
        needed.filter((status) => !statuses.includes(status)),
        [],
      );
      assert.ok(
        // The specification answers a successful logout with 410.
        statuses.some((status) => /^([23]|410$)/.test(status)),
        'no status for success',
      );
      for (const status of statuses) {
        assert.match(String(at(responses, status, 'description')), /.{5,}/, status);
      }
    });

    test(`${name} has examples that fit their schemas`, () => {
      for (const [place, media] of jsonContents(operation)) {
        const examples = examplesOf(media);
        assert.ok(examples.length > 0, `${place.join(' ')} has no example`);
        const check = document.checkAt(...here, ...place, 'content', 'application/json', 'schema');
        for (const example of examples) {
          assert.ok(
            check(example),
            `${place.join(' ')}: ${JSON.stringify(check.errors)} ${JSON.stringify(example)}`,
          );
        }
      }
    });

    test(`${name} declares the parameters in its path`, () => {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
      const described = operation.parameters
        .filter(({ place }) => place === 'path')
        .map((parameter) => parameter.name);
      assert.deepEqual(described, inPath);
    });
  }
});

describe('the document', () => {
  test('has the version of this installation', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    assert.equal(at(served.body, 'info', 'version'), version);
    assert.match(String(at(served.body, 'openapi')), /^3\.1\./);
  });

  test('has no operation id twice', () => {
    const ids = document.operations.map(({ declared }) => at(declared, 'operationId'));
    assert.equal(new Set(ids).size, ids.length);
  });

  test('has the same operations as /api/endpoints', async () => {
    const { body } = await service.call('GET', '/api/endpoints');
    const listed = Object.entries(Object(at(body, 'endpoints'))).flatMap(([method, rows]) =>
      listAt({ rows }, 'rows').map((row) => {
        const path = `${String(at(row, 'uri'))}${String(at(row, 'parameters'))}`.replaceAll('...}', '}');
        return `${method.toUpperCase()} ${path}`;
      }),
    );
    const described = document.operations.map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(listed.toSorted(), described.toSorted());
  });

  test('refers to no missing schema', () => {
    const refs = [...served.text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref ?? '');
    assert.deepEqual(
      refs.filter((ref) => document.resolve(ref) === undefined),
      [],
    );
  });

  test('equals the committed one except for what depends on the installation', () => {
    const committed: unknown = JSON.parse(readFileSync(join(root, 'docs', 'openapi.json'), 'utf8'));
    assert.deepEqual(at(committed, 'paths'), at(served.body, 'paths'));
    assert.deepEqual(at(committed, 'components'), at(served.body, 'components'));
  });

  test('passes redocly lint', async () => {
    const path = join(temporaryFolder(), 'openapi.json');
    writeFileSync(path, served.text);
    const args = ['lint', path, '--config', join(root, 'test', 'redocly.yaml'), '--format', 'stylish'];
    const env = {
      ...process.env,
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
      CI: 'true',
      NO_COLOR: '1',
    };
    const linter = join(root, 'node_modules', '.bin', 'redocly');
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [linter, ...args], {
      env,
      timeout: 200_000,
    }).catch((error: unknown) => ({
      stdout: `${String(at(error, 'stdout'))} FAILED`,
      stderr: String(error),
    }));
    assert.doesNotMatch(stdout + stderr, /FAILED|warning|error/i, stdout + stderr);
  });
});

type Content = readonly [place: readonly string[], media: unknown];

/** The JSON schemas of the request body and all replies. */
function jsonContents({ declared }: Operation): readonly Content[] {
  const statuses = Object.keys(Object(at(declared, 'responses')));
  const places = [['requestBody'], ...statuses.map((status) => ['responses', status])];
  return places.flatMap((place): Content[] => {
    const media = at(declared, ...place, 'content', 'application/json');
    return at(media, 'schema') === undefined ? [] : [[place, media]];
  });
}

function examplesOf(media: unknown): readonly unknown[] {
  const several = Object.values(Object(at(media, 'examples') ?? {})).map((example) => at(example, 'value'));
  return [at(media, 'example'), ...several].filter((example) => example !== undefined);
}
