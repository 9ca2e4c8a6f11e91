// Queries are recorded: the log shows them at once, after a stop, after a restart, and after the history
// thread was killed. history.faults.test.ts tests what kill -9 loses under load.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { HistoryScene } from './running/history-scene.ts';
import { runCommand } from './running/program.ts';
import { at, listAt } from './running/reply.ts';
import { until } from './running/waiting.ts';

test('GET /api/queries lists every answered query', async (t) => {
  const scene = new HistoryScene(t);
  await scene.start();

  await t.test('at once', async () => {
    await scene.queryNext();
    await scene.queryNext();
    await scene.assertAll();
  });

  await t.test('after a stop and a start', async () => {
    await scene.queryNext();
    await scene.service.stop();
    await scene.start();
    await scene.assertAll();
  });

  await t.test('after all threads were killed, once the journal has the queries', async () => {
    const before = scene.journalBytes();
    await scene.queryNext();
    await scene.assertAll();
    await until('The journal has grown', () => (scene.journalBytes() > before ? true : undefined));
    scene.service.signal('SIGUSR2');
    // The api thread is replaced too, and may leave a request without a reply.
    await until('The history thread is replaced', async () =>
      (await scene.threadRestarts().catch(() => undefined)) === 1 ? true : undefined,
    );
    await scene.queryNext();
    await scene.assertAll();
  });

  await t.test('after a restart', async () => {
    await scene.queryNext();
    const done = await runCommand(['restart'], { dir: scene.dir });
    assert.equal(done.code, 0, done.err);
    await scene.queryNext();
    await until('The new process has read the history', async () =>
      (await scene.recorded()).length === 7 ? true : undefined,
    );
    await scene.assertAll();
  });

  await t.test('of the time after history.db was damaged, which is put aside with a message', async () => {
    await scene.service.stop();
    writeFileSync(join(scene.dir, 'history.db'), 'this is no database '.repeat(500));
    await scene.start();
    await scene.queryNext();
    assert.ok((await scene.recorded()).includes('eight.lan'));
    const messages = await until('There is a message', async () => {
      const { body } = await scene.service.call('GET', '/api/info/messages');
      const texts = listAt(body, 'messages').map((row) => String(at(row, 'plain')));
      return texts.length > 0 ? texts : undefined;
    });
    assert.match(messages.join('\n'), /history\.db is broken: .* put aside as /);
  });
});
