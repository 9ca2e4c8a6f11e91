// `npm start` in a copy of the whole checkout without a bundle: it builds one and runs it with npm as the
// only other process, and stops when npm stops. It does not touch this checkout's bundle.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { boot } from './running/boot.ts';
import { startedBy } from './running/built.ts';
import { copyOfCheckout, npmIn } from './running/checkout-copy.ts';
import { temporaryFolder } from './running/folder.ts';
import { childrenOf, isAlive, threadNamesOf } from './running/processes.ts';
import { runCommand } from './running/program.ts';

const checkout = copyOfCheckout();

describe('npm start in a checkout without a bundle', () => {
  test('builds one, runs it as the only process besides npm, and stops with npm', async () => {
    const service = await boot({ wrap: npmIn(checkout, 'start') });
    const building = service.log().match(/^sluice: .*$/gm);
    assert.deepEqual(building, [
      `sluice: building the bundle in ${checkout}/dist, because there is none yet.`,
    ]);
    assert.ok(existsSync(join(checkout, 'dist', 'main.js')));

    const [program = 0, ...others] = childrenOf(service.pid);
    assert.deepEqual(others, []);
    assert.deepEqual(childrenOf(program), []);
    assert.equal(readFileSync(`/proc/${program}/comm`, 'utf8'), 'sluice\n');
    assert.match(readFileSync(`/proc/${program}/cmdline`, 'utf8'), /^sluice\0*$/);
    assert.ok(threadNamesOf(program).includes('api'));

    await service.stop();
    assert.deepEqual(await service.ended, { code: 0, signal: null });
    assert.ok(!isAlive(program), 'The program still runs.');
  });

  test('leaves a bundle that bin/sluice runs without a message', async () => {
    const launcher = join(checkout, 'bin', 'sluice');
    const { code, out, err } = await runCommand(['--version'], {
      dir: temporaryFolder(),
      ...startedBy(launcher),
    });
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /^\d+\.\d+\.\d+\n$/);
  });
});
