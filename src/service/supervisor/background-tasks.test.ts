// Failures of background tasks are logged, each once, and never become unhandled rejections.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';

import { createLog } from '#platform/log';
import { BackgroundTasks } from './background-tasks.ts';

function start() {
  const lines: string[] = [];
  const log = createLog({
    thread: 'main',
    level: () => 'error',
    format: 'text',
    nowMs: () => 0,
    write: (line) => lines.push(line),
  });
  return { lines, tasks: new BackgroundTasks(log) };
}

async function failing(reason: string): Promise<void> {
  throw new Error(reason);
}

test('a failure is logged with its reason, once while it stays the same', async () => {
  const { lines, tasks } = start();
  for (const reason of ['EMFILE', 'EMFILE', 'ENOMEM']) {
    tasks.run('look at the interfaces', failing(reason));
    await turn();
  }
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? '', /not possible to look at the interfaces.*reason=EMFILE/);
  assert.match(lines[1] ?? '', /reason=ENOMEM/);
});

test('a failure after a success is logged again', async () => {
  const { lines, tasks } = start();
  for (const work of [() => failing('EMFILE'), async () => undefined, () => failing('EMFILE')]) {
    tasks.run('look', work());
    await turn();
  }
  assert.equal(lines.length, 2);
});

test('the callback gets the reason', async () => {
  const { tasks } = start();
  const problems: string[] = [];
  tasks.run('begin', failing('ENOMEM'), (problem) => problems.push(problem));
  await turn();
  assert.match(problems.join(), /begin \(ENOMEM\)/);
});
