import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';

import { rolldown } from 'rolldown';

import { buildProblem } from './build-problem.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-build-problem-'));
after(() => rmSync(folder, { recursive: true }));

async function errorOf(text: string): Promise<unknown> {
  const input = join(folder, 'main.ts');
  writeFileSync(input, text);
  const build = await rolldown({ input, cwd: folder });
  try {
    return await build.generate().then(
      () => undefined,
      (error: unknown) => error,
    );
  } finally {
    await build.close();
  }
}

describe('the problem of a build', () => {
  const rows: readonly (readonly [what: string, text: string, line: RegExp])[] = [
    ['a missing file', "\nimport './missing.ts';\n", /^build: .*missing\.ts.*\(.*main\.ts:2\)$/u],
    ['a wrong line', 'export const x = ;\n', /^build: \[PARSE_ERROR\] .*\(.*main\.ts:1\)$/u],
  ];
  for (const [what, text, line] of rows)
    test(`${what} is named in the first line, with its position`, async () => {
      const problem = buildProblem(await errorOf(text)) ?? '';
      assert.match(problem.split('\n', 1)[0] ?? '', line);
      assert.match(problem, /\n\nBuild failed with 1 error/u);
    });

  test('an error that is not from the compiler gives undefined', () => {
    assert.equal(buildProblem(new TypeError('x is not a function')), undefined);
  });
});
