// A thread with raised priority may lose the right to raise it, or may only have it by LimitRTPRIO=: a
// separate process tries both, and gives up its rights on the way.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { loadSchedulerCalls } from './scheduler-calls.ts';

const unprivilegedUser = 65_534;
const module = new URL('./scheduler-calls.ts', import.meta.url).href;
const script = `
const { loadSchedulerCalls } = await import(${JSON.stringify(module)});
const { setRealtime, setNormal } = loadSchedulerCalls();
const isFirst = setRealtime();
process.setuid(${unprivilegedUser});
process.stdout.write(JSON.stringify([isFirst, setNormal(), setRealtime()]));
`;
const isRoot = process.getuid?.() === 0 && loadSchedulerCalls() !== undefined;

const skip = !isRoot && 'needs root';

test('a thread with raised priority can lower it without any right', { skip }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  assert.deepEqual(JSON.parse(stdout), [true, true, false]);
});
