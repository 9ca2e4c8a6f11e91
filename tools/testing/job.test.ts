import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, describe, test } from 'node:test';

import { ROOT } from '../run.ts';
import { runJob, type JobResult } from './job.ts';
import { hasPassed, jobText, skipsProblem, slowestText, totalsText } from './report.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const defaultTimeoutMs = 120_000;

/** Runs small test files, by their texts, in one process. */
function runTexts(texts: readonly string[], timeoutMs = defaultTimeoutMs): Promise<JobResult> {
  const files = texts.map((text, index) => {
    const path = join(folder, `${fileCount++}-${index}.mjs`);
    writeFileSync(path, `import test from 'node:test';\n${text}\n`);
    return path;
  });
  return runJob({ files, env: {}, timeoutMs, again: 'npm test -- FILE' });
}

let fileCount = 0;

const passing = `test('adds', () => undefined);`;
/** Long enough for the results so far to be written. */
const pause = `new Promise((resolve) => setTimeout(resolve, 300))`;
const spawning = `import { spawn } from 'node:child_process';`;
const failing = `test('compares', () => { throw new Error('1 is not 2'); });`;

describe('a test process', () => {
  test('that passes all tests counts them and passes', async () => {
    const result = await runTexts([passing, passing]);
    assert.equal(totalsText([result]), '2 passed, 0 failed');
    assert.ok(hasPassed([result]));
    assert.match(slowestText([result]), /^The 2 slowest files:\n/);
  });

  test('passes when a file has only a group of tests that another file makes', async () => {
    const shared = join(folder, 'shared.mjs');
    writeFileSync(shared, `import test from 'node:test';\nexport const make = () => { ${passing} };`);
    const group = `import { make } from './shared.mjs';\ntest.describe('group', make);`;
    const result = await runTexts([passing, group]);
    assert.ok(hasPassed([result]), jobText(result));
  });

  const table: readonly (readonly [what: string, texts: readonly string[], totals: string, said: RegExp])[] =
    [
      [
        'with a failing test names it, and says why',
        [passing, failing],
        '1 passed, 1 failed',
        /✖ .*compares\n.*1 is not 2/,
      ],
      [
        'with a failing test in a group counts the test once, and names the group',
        [`test.describe('group', () => { ${failing} });`],
        '0 passed, 1 failed',
        /✖ .*: group > compares\n/,
      ],
      [
        'with a failing hook of a group fails',
        [`test.describe('group', () => { test.before(() => { throw new Error('no disk'); }); ${passing} });`],
        '0 passed, 2 failed',
        /no disk/,
      ],
      [
        'with a file that does not load fails',
        [`throw new Error('cannot load');`],
        '0 passed, 1 failed',
        /load/,
      ],
      ['with a file without a test fails', [passing, 'export {};'], '1 passed, 1 failed', /ran no test/],
      [
        'with a file of groups without a test fails',
        [passing, `test.describe('group', () => undefined);`],
        '1 passed, 1 failed',
        /ran no test/,
      ],
      ['of one file without a test fails', ['export {};'], '0 passed, 1 failed', /ran no test/],
      [
        'that exits before its last test fails',
        [`${passing} test('exits', async () => { await ${pause}; process.exit(0); }); ${failing}`],
        '1 passed, 1 failed',
        /ended before its tests had/,
      ],
      [
        'that leaves processes behind, in its group or another, fails and names them',
        [
          `${spawning} test('starts', () => {
            spawn('sleep', ['100'], { stdio: 'inherit' }).unref();
            spawn('sleep', ['101'], { stdio: 'ignore', detached: true }).unref();
          });`,
        ],
        '1 passed, 1 failed',
        /left processes behind.*sleep 100; sleep 101/,
      ],
      [
        'that exits with an error after its last test fails',
        [`${passing} process.on('exit', () => { process.exitCode = 3; });`],
        '1 passed, 1 failed',
        /failed outside any test/,
      ],
      [
        'with a skipped test counts it as skipped',
        [`${passing} test.skip('later', () => undefined);`],
        '1 passed, 0 failed, 1 skipped',
        /^ok /,
      ],
    ];
  for (const [what, texts, totals, said] of table) {
    test(what, async () => {
      const result = await runTexts(texts);
      assert.equal(totalsText([result]), totals, jobText(result));
      assert.match(jobText(result), said);
      assert.equal(hasPassed([result]), totals.includes(' 0 failed'));
    });
  }

  test('with a skipped test passes only where skips are accepted', async () => {
    const result = await runTexts([`${passing} test('mounts', { skip: 'needs root' }, () => undefined);`]);
    assert.match(skipsProblem([result], false) ?? '', /^Skipped tests \(1\):\n  needs root\n/);
    assert.equal(skipsProblem([result], true), undefined);
  });

  test('that is named by a relative path and has no test fails', async () => {
    const path = join(folder, `${fileCount++}.mjs`);
    writeFileSync(path, 'export {};');
    const files = [relative(ROOT, path)];
    const result = await runJob({ files, env: {}, timeoutMs: defaultTimeoutMs, again: '' });
    assert.equal(totalsText([result]), '0 passed, 1 failed', jobText(result));
  });

  test('that fails says how to run it again', async () => {
    assert.match(jobText(await runTexts([failing])), /To run it again: npm test -- FILE$/);
  });

  test('that does not end is killed, and its files are named', async () => {
    const result = await runTexts([`${passing} setInterval(() => undefined, 1000);`], 3_000);
    assert.match(jobText(result), /\.mjs: it did not end within \d+ s and was killed/);
    assert.ok(!hasPassed([result]));
  });
});
