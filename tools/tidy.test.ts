import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { RULES } from './tidy/registry.ts';
import { tidy } from './tidy.ts';

type Sample = {
  readonly rule: string;
  /** Paths and texts; every file of a bad sample that is named in `at` breaks the rule at that line. */
  readonly files: Readonly<Record<string, string>>;
  readonly at?: readonly string[];
};

const HEAD = `// ${'What this file is and why it is built this way. '.repeat(2)}\n`;

function LINES(count: number): string {
  return 'x;\n'.repeat(count);
}
// In parts, or this very file would break the rule.
const WORK_FOLDER = ['', 'work', 'main'].join('/');
const ROOT_FOLDER = ['', 'root', 'x'].join('/');
const SHARED_FOLDER = ['..', 'shared', 'x'].join('/');

const BAD: readonly Sample[] = [
  { rule: 'file-name', files: { 'src/wire/messageReader.ts': '' }, at: ['src/wire/messageReader.ts:1'] },
  { rule: 'file-name', files: { 'test/Black_Box/a.test.ts': '' }, at: ['test/Black_Box/a.test.ts:1'] },
  {
    rule: 'old-words',
    files: { 'ARCHITECTURE.md': 'Whoever asks.\nThe api thread\nis told of it.' },
    at: ['ARCHITECTURE.md:1', 'ARCHITECTURE.md:3'],
  },
  { rule: 'old-words', files: { 'src/web/a.ts': "fail('a list cannot be had');" }, at: ['src/web/a.ts:1'] },
  { rule: 'file-length', files: { 'src/wire/a.ts': LINES(401) }, at: ['src/wire/a.ts:401'] },
  { rule: 'file-length', files: { 'src/wire/a.test.ts': LINES(801) }, at: ['src/wire/a.test.ts:801'] },
  { rule: 'line-length', files: { 'tools/a.ts': `x;\n// ${'é'.repeat(108)}` }, at: ['tools/a.ts:2'] },
  { rule: 'index-is-door', files: { 'src/wire/names/index.ts': '' }, at: ['src/wire/names/index.ts:1'] },
  { rule: 'index-is-door', files: { 'tools/index.ts': '' }, at: ['tools/index.ts:1'] },
  {
    rule: 'index-is-door',
    files: { 'src/wire/index.ts': `export { a } from './a.ts';\n// why\nexport const b = 1;` },
    at: ['src/wire/index.ts:3'],
  },
  {
    rule: 'index-is-door',
    files: { 'src/store/database/index.ts': `import './a.ts';` },
    at: ['src/store/database/index.ts:1'],
  },
  {
    rule: 'door',
    files: { 'src/policy/a.ts': `import { b } from '../wire/b.ts';` },
    at: ['src/policy/a.ts:1'],
  },
  { rule: 'door', files: { 'src/policy/a.ts': `import { b } from '#wire/b';` }, at: ['src/policy/a.ts:1'] },
  { rule: 'door', files: { 'tools/a.ts': `await import('../src/wire/b.ts');` }, at: ['tools/a.ts:1'] },
  { rule: 'door', files: { 'test/a.ts': `export * from "../src/wire/index.ts";` }, at: ['test/a.ts:1'] },
  {
    rule: 'door',
    files: { 'src/cli/a.ts': `\nnew URL('../service/threads/dns-entry.ts', import.meta.url)` },
    at: ['src/cli/a.ts:2'],
  },
  { rule: 'own-door', files: { 'src/wire/a.ts': `import { b } from '#wire';` }, at: ['src/wire/a.ts:1'] },
  {
    rule: 'own-door',
    files: { 'src/wire/a.ts': `import { b } from './index.ts';` },
    at: ['src/wire/a.ts:1'],
  },
  ...[
    ['wire', '#policy'],
    ['wire', 'node:buffer'],
    ['wire', 'ipaddr.js'],
    ['policy', '#engine'],
    ['policy', '#contract'],
    ['engine', '#service'],
    ['engine', '#contract'],
    ['platform', '#engine'],
    ['platform', '#store/database'],
    ['store', '#engine'],
    ['store', '#history/thread'],
    ['history', '#policy'],
    ['history', '#store/settings'],
    ['lists', '#history/segments'],
    ['lists', '#control/plan'],
    ['control', '#api/http'],
    ['api', '#service'],
    ['api', '#testing/history/store'],
    ['contract', '#wire'],
    ['contract', 'node:net'],
    ['contract', 'net'],
    ['contract', 'ajv'],
    ['contract', '@scope/typebox'],
    ['web', '#service'],
    ['web', '#platform/log'],
    ['web', 'node:fs'],
    ['cli', '#engine'],
    ['cli', '#store/database'],
    ['service', '../../tools/docs.ts'],
  ].map(([room, specifier]) => ({
    rule: 'arrow',
    files: { [`src/${room}/a.ts`]: `import type {\n  b,\n} from '${specifier}';` },
    at: [`src/${room}/a.ts:3`],
  })),
  { rule: 'arrow', files: { 'src/wire/a.test.ts': `import '#engine';` }, at: ['src/wire/a.test.ts:1'] },
  { rule: 'arrow', files: { 'src/cellar/a.ts': '' }, at: ['src/cellar/a.ts:1'] },
  { rule: 'arrow', files: { 'src/main.ts': `import '#cli';` }, at: ['src/main.ts:1'] },
  {
    rule: 'cycle',
    files: {
      'src/wire/a.ts': `\nimport { b } from './b.ts';`,
      'src/wire/b.ts': `export { c } from './c.ts';`,
      'src/wire/c.ts': `import type { a } from './a.ts';`,
    },
    at: ['src/wire/a.ts:2'],
  },
  { rule: 'cycle', files: { 'src/wire/a.ts': `import './a.ts';` }, at: ['src/wire/a.ts:1'] },
  {
    rule: 'folder-cycle',
    files: {
      'src/lists/fetch/a.ts': `import '../copies/b.ts';`,
      'src/lists/copies/b.ts': `\nimport '../search/c.ts';`,
      'src/lists/search/c.ts': `import type { d } from '../fetch/d.ts';`,
    },
    at: ['src/lists/fetch/a.ts:1', 'src/lists/copies/b.ts:2', 'src/lists/search/c.ts:1'],
  },
  {
    rule: 'one-fastify',
    files: {
      'src/api/a.ts': `import fastify from 'fastify';`,
      'src/api/b.ts': `\nimport type { FastifyReply } from 'fastify';`,
    },
    at: ['src/api/a.ts:1', 'src/api/b.ts:2'],
  },
  ...['src/wire/utils.ts', 'src/wire/misc/a.ts', 'test/dns-helpers.ts', 'bench/common.test.ts'].map(
    (path) => ({ rule: 'vague-name', files: { [path]: '' }, at: [`${path}:1`] }),
  ),
  ...[
    'const mostRows = 1;',
    'export const leastBytes = 1;',
    'const triesMax = 1;',
    'const stopMaxMs = 1;',
    'const lengthMin = 1;',
    'const KEYS_MAX = 1;',
    'const ANSWER_MAX_MS = 1;',
    'const MOST_ROWS = 1;',
  ].map((text) => ({
    rule: 'limit-name',
    files: { 'src/wire/a.ts': `x;\n${text}`, 'tools/a.ts': text },
    at: ['src/wire/a.ts:2', 'tools/a.ts:1'],
  })),
  { rule: 'cast-comment', files: { 'src/wire/a.ts': 'const a = b as string;' }, at: ['src/wire/a.ts:1'] },
  { rule: 'cast-comment', files: { 'src/wire/a.ts': 'f(`${a as string}`);' }, at: ['src/wire/a.ts:1'] },
  { rule: 'cast-comment', files: { 'test/a.test.ts': `let a = {} as\n  Thing;` }, at: ['test/a.test.ts:1'] },
  {
    rule: 'cast-comment',
    files: { 'src/wire/a.ts': '// why\nconst a = 1;\nconst b = (c as unknown) as { d: 1 };' },
    at: ['src/wire/a.ts:3', 'src/wire/a.ts:3'],
  },
  {
    rule: 'cast-comment',
    files: { 'src/wire/a.ts': '// oxlint-disable-next-line some-rule\nconst b = c as D;' },
    at: ['src/wire/a.ts:2'],
  },
  ...['Date.now()', 'const now = Date.now;', 'performance.now()', 'new Date()', 'new Date( )'].map(
    (text) => ({
      rule: 'clock',
      files: { 'src/engine/clock.ts': text, 'src/api/http/a.ts': text },
      at: ['src/engine/clock.ts:1', 'src/api/http/a.ts:1'],
    }),
  ),
  { rule: 'head-comment', files: { 'src/wire/a.ts': `import './b.ts';\n${HEAD}` }, at: ['src/wire/a.ts:1'] },
  { rule: 'head-comment', files: { 'bench/a.ts': `// ${'x'.repeat(59)}\n` }, at: ['bench/a.ts:1'] },
  { rule: 'unfinished', files: { 'src/wire/a.ts': 'x;\n// TODO: later' }, at: ['src/wire/a.ts:2'] },
  { rule: 'unfinished', files: { 'test/a.test.ts': '/*\n * FIXME */' }, at: ['test/a.test.ts:2'] },
  { rule: 'unfinished', files: { 'tools/a.ts': '// XXX' }, at: ['tools/a.ts:1'] },
  ...[`mock.module('./a.ts', {});`, `t.mock.module('./a.ts', {});`, `vi.mock('./a.ts');`].map((text) => ({
    rule: 'module-mock',
    files: { 'src/wire/a.test.ts': text },
    at: ['src/wire/a.test.ts:1'],
  })),
  ...[
    `test.only('a', f);`,
    `describe.skip('a', f);`,
    `test.todo('a');`,
    `t.skip();`,
    `it('a', { skip: true }, f);`,
    `it('a', { todo: 'one day' }, f);`,
  ].map((text) => ({
    rule: 'sleeping-test',
    files: { 'src/wire/a.test.ts': text },
    at: ['src/wire/a.test.ts:1'],
  })),
  { rule: 'local-path', files: { 'README.md': `See\n\`${WORK_FOLDER}\`.` }, at: ['README.md:2'] },
  { rule: 'local-path', files: { '.ci/run': `cd ${ROOT_FOLDER}` }, at: ['.ci/run:1'] },
  { rule: 'local-path', files: { 'src/wire/a.ts': `read('${SHARED_FOLDER}');` }, at: ['src/wire/a.ts:1'] },
];

const GOOD: readonly Sample[] = [
  { rule: 'old-words', files: { 'ARCHITECTURE.md': 'The child runs as `nobody`. A body, and who: ever.' } },
  {
    rule: 'file-name',
    files: {
      'src/wire/ip-v6.d.ts': '',
      'test/black-box/a.test.ts': '',
      'test/Data.bin': '',
      'README.md': '',
    },
  },
  {
    rule: 'file-length',
    files: {
      'src/wire/a.ts': LINES(400),
      'src/wire/a.test.ts': LINES(800),
      'src/wire/a.d.ts': LINES(900),
      'src/wire/a.generated.ts': LINES(900),
      'src/wire/b.ts': `// @generated by tools/b.ts\n${LINES(900)}`,
      'package-lock.json': LINES(900),
    },
  },
  {
    rule: 'line-length',
    files: {
      'src/wire/a.ts': `${'x'.repeat(110)}\n${'é'.repeat(110)}\n// https://example.org/${'x'.repeat(110)}`,
      'README.md': 'x'.repeat(200),
    },
  },
  {
    rule: 'index-is-door',
    files: {
      'src/wire/index.ts':
        `${HEAD}export { a, type B } from './a.ts';\nexport type { C } from "./c.ts";\n` +
        `export * from './d.ts';\nexport * as e from './e.ts';\n`,
      'src/wire/index-table.ts': 'const a = 1;',
    },
  },
  {
    rule: 'door',
    files: {
      'src/policy/lists/a.ts': `import { b } from '#wire';\nimport { c } from '../c.ts';`,
      'src/policy/b.ts': `// import { b } from '../wire/b.ts';`,
      'src/policy/c.ts': `const a = "import { b } from '../wire/b.ts'";`,
      'tools/a.ts': `import '#contract';\nimport './b.ts';`,
      'src/service/threads.ts': `new URL('./threads/dns-entry.ts', import.meta.url)`,
      'src/testing/a.ts': `import '../wire/b.ts';`,
      'src/lists/a.test.ts': `new URL('../testing/lists/entry.ts', import.meta.url)`,
    },
  },
  { rule: 'own-door', files: { 'src/policy/a.ts': `import '#wire';`, 'tools/a.ts': `import '#wire';` } },
  {
    rule: 'arrow',
    files: {
      'src/wire/a.ts': `import { b } from './b.ts';`,
      'src/wire/a.test.ts': `import { test } from 'node:test';\nimport fc from 'fast-check';`,
      'src/policy/a.ts': `import '#wire';\nimport 'node:net';\nimport 'ipaddr.js';`,
      'src/engine/a.ts': `import '#wire';\nimport '#policy';`,
      'src/api/a.ts': `import '#wire';\nimport '#control/plan';\nimport '#contract';`,
      'src/api/b.ts': `import manifest from '../../package.json' with { type: 'json' };`,
      'src/wire/b.test.ts': `import '#testing/wire/bytes';`,
      'src/testing/a.ts': `import '#engine';\nimport '../wire/names.ts';`,
      'src/contract/a.ts': `import { Type } from 'typebox';\nimport { Value } from 'typebox/value';`,
      'src/web/a.ts': `import '#contract';\nimport 'swagger-ui-dist';`,
      'src/cli/a.ts': `import '#contract';\nimport '#service';\nimport 'commander';`,
    },
  },
  {
    rule: 'cycle',
    files: {
      'src/wire/a.ts': `import './b.ts';\nimport './c.ts';`,
      'src/wire/b.ts': `import './c.ts';`,
      // The thread's entry knows the pool, and the pool the address of the entry.
      'src/wire/c.ts': `new URL('./a.ts', import.meta.url)`,
    },
  },
  {
    rule: 'folder-cycle',
    files: {
      'src/lists/fetch/a.ts': `import '../copies/b.ts';\nimport '../limits.ts';`,
      'src/lists/copies/b.ts': `import '../limits.ts';\nnew URL('../fetch/a.ts', import.meta.url)`,
      'src/lists/copies/b.test.ts': `import '../fetch/a.ts';`,
      'src/lists/limits.ts': `import './fetch/c.ts';`,
    },
  },
  {
    rule: 'one-fastify',
    files: {
      'src/api/a.ts': `import fastify from 'fastify';\nimport type { FastifyReply } from 'fastify';`,
      'src/api/b.ts': `import plugin from 'fastify-plugin';`,
      'bench/a.ts': `import fastify from 'fastify';`,
    },
  },
  {
    rule: 'vague-name',
    files: { 'src/wire/common-name.ts': '', 'docs/misc/a.md': '', 'src/utility.ts': '' },
  },
  {
    rule: 'limit-name',
    files: {
      'src/wire/a.ts': [
        'const maxRows = 1;',
        'export const MAX_ROWS = 1;',
        'const most = 1;',
        'const mostly = 1;',
        'const maximum = 1;',
        'const inMaxton = 1;',
        '  const rowsMax = 1;',
        'function mostFirst() {}',
        '// const rowsMax = 1;',
      ].join('\n'),
      'docs/a.md': 'const rowsMax = 1;',
    },
  },
  {
    rule: 'cast-comment',
    files: {
      'src/wire/a.ts': [
        `import { a as b, type C as D } from './b.ts';`,
        `import * as everything from './b.ts';`,
        `export { b as c };`,
        `export * as d from './d.ts';`,
        `const e = [1] as const;`,
        `const f = g as string; // It was checked above.`,
        `// It was checked above.`,
        `const h = g as string;`,
        `const i = g /* checked */ as string;`,
        `type J<T> = { [K in keyof T as Exclude<K, 'a'>]: T[K] };`,
        `db.selectFrom('t').select((k) => k.fn.count('a').as('n'));`,
        `const k = { as: 1 };`,
        `const l = 'such as this'; const m = /such as this/;`,
        `// Known to be complete.`,
        `const n = {`,
        `  a: 1,`,
        `} as Whole;`,
      ].join('\n'),
    },
  },
  {
    rule: 'clock',
    files: {
      'src/platform/time/clock.ts': 'Date.now()',
      'src/testing/a.ts': 'performance.now()',
      'src/cli/main.ts': 'new Date()',
      'src/wire/a.test.ts': 'Date.now()',
      'tools/a.ts': 'Date.now()',
      'src/wire/a.ts': '// Date.now()\nnew Date(nowMs);\nconst a = "Date.now()";',
    },
  },
  {
    rule: 'head-comment',
    files: {
      'src/wire/a.ts': `${HEAD}import './b.ts';`,
      'src/wire/b.ts': `/*\n * ${'word '.repeat(15)}\n */\nconst a = 1;`,
      'src/wire/c.ts': `// ${'x'.repeat(30)}\n// ${'x'.repeat(30)}\n`,
      'tools/run.ts': `#!/usr/bin/env node\n${HEAD}`,
      'src/wire/a.test.ts': `import './b.ts';`,
    },
  },
  {
    rule: 'unfinished',
    files: {
      'src/wire/a.ts': `const a = 'TODO'; // What is to do. TODOS`,
      'CONTRIBUTING.md': 'No TODO, FIXME or XXX.',
    },
  },
  { rule: 'module-mock', files: { 'src/wire/a.test.ts': `t.mock.fn(); t.mock.timers.enable();` } },
  {
    rule: 'sleeping-test',
    files: {
      'src/wire/a.test.ts': `reader.skip(4); test('no .only( here', f); const a = { skip: 2 };`,
      'src/wire/reader.ts': `it.skip(4);`,
    },
  },
  {
    rule: 'local-path',
    files: {
      'README.md': 'https://example.org/root/x ./work/x .. /shared ../shareholder',
      'a.ts': `'/roots/'`,
    },
  },
];

function found({ rule, files }: Sample): string[] {
  const violations = tidy(Object.entries(files).map(([path, text]) => ({ path, text })));
  return violations.filter((violation) => violation.rule === rule).map(({ path, line }) => `${path}:${line}`);
}

describe('tidy', () => {
  for (const rule of RULES) {
    test(`${rule.name} has samples of both kinds`, () => {
      assert.ok(BAD.some((sample) => sample.rule === rule.name));
      assert.ok(GOOD.some((sample) => sample.rule === rule.name));
    });
  }

  for (const sample of BAD) {
    test(`${sample.rule} is broken by ${JSON.stringify(sample.files).slice(0, 80)}`, () => {
      assert.deepEqual(found(sample), sample.at);
    });
  }

  for (const sample of GOOD) {
    test(`${sample.rule} is kept by ${JSON.stringify(sample.files).slice(0, 80)}`, () => {
      assert.deepEqual(found(sample), []);
    });
  }

  test('every message says what to do', () => {
    const files = BAD.flatMap((sample) =>
      Object.entries(sample.files).map(([path, text]) => ({ path, text })),
    );
    for (const { message } of tidy(files)) assert.match(message, /: \S/);
  });
});
