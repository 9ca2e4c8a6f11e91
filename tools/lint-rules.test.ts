import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { ROOT, run } from './run.ts';

// The part of the house style that Oxlint checks. Oxlint runs once on a small tree with our settings, so that
// a rule that is switched off by mistake, or missing type information, fails here.

type Sample = { readonly path: string; readonly text: string; readonly rule?: string };

function LONG(lines: number): string {
  return `export function f(): void {\n${'  f();\n'.repeat(lines - 2)}}\n`;
}

function BRANCHES(count: number): string {
  return `export function f(a: number): number {\n${'if (a > 1) return a;\n'.repeat(count)}return 0;\n}\n`;
}

const SAMPLES: readonly Sample[] = [
  { path: 'src/wire/any.ts', rule: 'no-explicit-any', text: 'export const a: any = 1;' },
  {
    path: 'src/wire/non-null.ts',
    rule: 'no-non-null-assertion',
    text: 'export const a = (b: string[]) => b[0]!;',
  },
  { path: 'src/wire/ignore.ts', rule: 'ban-ts-comment', text: '// @ts-ignore\nexport const a: 1 = 2;' },
  { path: 'src/wire/default.ts', rule: 'no-default-export', text: 'export default 1;' },
  { path: 'tools/some.config.ts', text: 'export default 1;' },
  { path: 'src/wire/long.ts', rule: 'max-lines-per-function', text: LONG(61) },
  { path: 'src/wire/long-enough.ts', text: LONG(60) },
  { path: 'src/wire/long.test.ts', text: LONG(200) },
  { path: 'src/wire/complex.ts', rule: 'complexity', text: BRANCHES(10) },
  { path: 'src/wire/complex-enough.ts', text: BRANCHES(9) },
  { path: 'src/wire/equal.ts', rule: 'eqeqeq', text: 'export const a = (b: unknown) => b == 1;' },
  { path: 'src/wire/console.ts', rule: 'no-console', text: 'console.log(1);' },
  ...['src/cli/a.ts', 'tools/a.ts', 'bench/a.ts', 'test/a.ts'].map((path) => ({
    path,
    text: 'console.log(1);',
  })),
  { path: 'src/wire/unused.ts', rule: 'no-unused-vars', text: 'const a = 1;\nexport const b = 2;' },
  {
    path: 'src/wire/type-import.ts',
    rule: 'consistent-type-imports',
    text: `import { Socket } from 'node:net';\nexport type A = Socket;`,
  },
  {
    path: 'src/wire/cycle-one.ts',
    rule: 'no-cycle',
    text: `import { b } from './cycle-two.ts';\nexport const a = () => b;`,
  },
  {
    path: 'src/wire/cycle-two.ts',
    rule: 'no-cycle',
    text: `import { a } from './cycle-one.ts';\nexport const b = () => a;`,
  },
  // These rules need type information.
  {
    path: 'src/wire/floating.ts',
    rule: 'no-floating-promises',
    text: 'async function a(): Promise<void> {}\nexport function b(): void {\n  a();\n}',
  },
  { path: 'src/wire/a.test.ts', text: `import { test } from 'node:test';\ntest('a', async () => {});` },
  {
    path: 'src/wire/misused.ts',
    rule: 'no-misused-promises',
    text: 'export const a = (b: () => Promise<boolean>) => {\n  if (b()) throw new Error();\n};',
  },
  {
    path: 'src/wire/await.ts',
    rule: 'await-thenable',
    text: 'export const a = async (b: number): Promise<number> => await b;',
  },
  {
    path: 'src/wire/switch.ts',
    rule: 'switch-exhaustiveness-check',
    text: `export function a(b: 'c' | 'd'): void {\n  switch (b) {\n    case 'c':\n      a(b);\n  }\n}`,
  },
];

describe('the rules that Oxlint checks', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-lint-'));
  let found: Map<string, string[]>;

  before(async () => {
    for (const name of ['.oxlintrc.json', 'tsconfig.json', 'package.json']) {
      cpSync(join(ROOT, name), join(folder, name));
    }
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    for (const { path, text } of SAMPLES) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    // Not the folder itself: Oxlint would follow the link to node_modules.
    const args = ['-f', 'unix', 'src', 'test', 'tools', 'bench'];
    found = problemsIn((await run('oxlint', args, { cwd: folder, timeoutMs: 30_000 })).output);
  });

  after(() => rmSync(folder, { recursive: true }));

  for (const { path, rule } of SAMPLES) {
    test(rule === undefined ? `${path} is clean` : `${path} breaks ${rule}`, () => {
      assert.deepEqual(found.get(path) ?? [], rule === undefined ? [] : [rule]);
    });
  }
});

/** The rules broken by each file, from lines such as `src/a.ts:1:2: what is wrong [Error/eslint(eqeqeq)]`. */
function problemsIn(output: string): Map<string, string[]> {
  const lines = [...output.matchAll(/^(?<path>[^:\n]+):.*\((?<rule>[\w-]+)\)\]$/gm)].map(
    ({ groups }) => groups,
  );
  const byPath = Map.groupBy(lines, (groups) => groups?.['path'] ?? '');
  return new Map([...byPath].map(([path, all]) => [path, all.map((groups) => groups?.['rule'] ?? '')]));
}
