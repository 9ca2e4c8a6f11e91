// Queries are remembered: what was asked is told at once and after a restart, a clean stop loses nothing, and
// kill -9 loses what came in the last second at most. While the thread that remembers is replaced, DNS and
// the API go on.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { bootFor, type Service } from './running/boot.ts';
import { startLoad } from './running/dns-load.ts';
import { askOnce, dnsEnvironment, dnsPort } from './running/dns-service.ts';
import { temporaryFolder } from './running/folder.ts';
import { runCommand } from './running/program.ts';
import { at, describe, listAt } from './running/reply.ts';
import { seeded } from './running/seeded.ts';
import { until } from './running/waiting.ts';

const { seed, random } = seeded();
/** Each is asked for once, in this order. */
const names = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'].map((word) => `${word}.lan`);
/** Nobody answers on that port: every name is one of our own. */
const env = {
  ...dnsEnvironment(9),
  SLUICE_DNS_HOSTS: `192.0.2.7 ${names.join(' ')}`,
  SLUICE_DNS_WORKERS: '1',
};
const lossMaxMs = 1_000;
/** A timer that is due comes a little later when the machine is busy. */
const lateMaxMs = 400;
/** The best of so many counts: a machine may be busier than that. */
const floodsMax = 4;
const flood = { zone: 'flood.example', perSecond: 400, shortestMs: 1_200, spreadMs: 900 } as const;
const noError = 0;
const isLittle = (lostMs: number): boolean => lostMs <= lossMaxMs + lateMaxMs;

type Killed = { readonly killedMs: number; readonly unanswered: ReadonlySet<number> };

const numberIn = (name: string): number => Number(/^n(\d+)\./.exec(name)?.[1]);

/** Each once, and none that was answered is missing before the last one. */
const assertWhole = (numbers: readonly number[], unanswered: ReadonlySet<number>): void => {
  const found = new Set(numbers);
  assert.equal(found.size, numbers.length, 'Some are remembered twice.');
  const wanted = Array.from({ length: Math.max(...numbers) }, (_, number) => number);
  // A busy system may throw datagrams away; nobody was told anything of those.
  assert.deepEqual(
    wanted.filter((number) => !found.has(number) && !unanswered.has(number)),
    [],
  );
};

/** Asks and remembers over the lives of several processes in one folder. */
class Scene {
  readonly #t: TestContext;
  readonly #dir = temporaryFolder();
  #service: Service | undefined;
  #port = 0;
  #asked = 0;

  constructor(t: TestContext) {
    this.#t = t;
  }

  get service(): Service {
    assert.ok(this.#service !== undefined);
    return this.#service;
  }

  get dir(): string {
    return this.#dir;
  }

  async start(): Promise<void> {
    // Threads are ended by force here.
    this.#service = await bootFor(this.#t, { dir: this.#dir, env, expectedFaults: /thread \w+ died/ });
    this.#port = await dnsPort(this.#service);
  }

  /** For the next name. */
  async ask(): Promise<void> {
    const name = names[this.#asked++] ?? '';
    assert.equal(await askOnce(this.#port, name), noError, name);
  }

  /** Those that were asked for, the oldest first. */
  async remembered(): Promise<readonly string[]> {
    const reply = await this.service.call('GET', '/api/queries?length=1000');
    assert.equal(reply.status, 200, describe(reply));
    return listAt(reply.body, 'queries')
      .map((row) => String(at(row, 'domain')))
      .filter((name) => names.includes(name))
      .toReversed();
  }

  async assertAll(): Promise<void> {
    assert.deepEqual(await this.remembered(), names.slice(0, this.#asked), this.service.log());
  }

  async denyFlood(): Promise<void> {
    const body = { domain: `*.${flood.zone}` };
    const reply = await this.service.call('POST', '/api/domains/deny/exact', { body });
    assert.equal(reply.status, 201, describe(reply));
  }

  /** Kills the service while many ask; tells when, and what was not answered. */
  async killInFlood(round: number): Promise<Killed> {
    const { perSecond, zone, shortestMs, spreadMs } = flood;
    const endLoad = startLoad({ port: this.#port, perSecond, names: [`n#.r${round}.${zone}`] });
    await sleep(shortestMs + random() * spreadMs);
    const killedMs = Date.now();
    await this.service.kill();
    const { unanswered } = await endLoad(0);
    return { killedMs, unanswered: new Set(unanswered.map(numberIn)) };
  }

  /** The numbers of the names in the flood that are remembered, and the time of the newest. */
  async flooded(round: number): Promise<{ readonly numbers: readonly number[]; readonly newestMs: number }> {
    const path = `/api/queries?length=10000&domain=n*.r${round}.${flood.zone}`;
    const rows = listAt((await this.service.call('GET', path)).body, 'queries');
    const numbers = rows.map((row) => numberIn(String(at(row, 'domain'))));
    return { numbers, newestMs: Number(at(rows[0], 'time')) * 1000 };
  }

  async restarts(): Promise<number> {
    const { body } = await this.service.call('GET', '/api/status');
    const history = listAt(body, 'status', 'threads').find((row) => at(row, 'name') === 'history');
    return at(history, 'state') === 'running' ? Number(at(history, 'restarts')) : -1;
  }
}

test(`what was asked is remembered, seed ${seed}`, async (t) => {
  const scene = new Scene(t);
  await scene.start();

  await t.test('and told at once', async () => {
    await scene.ask();
    await scene.ask();
    await scene.assertAll();
  });

  await t.test('after a clean stop, all of it', async () => {
    await scene.ask();
    await scene.service.stop();
    await scene.start();
    await scene.assertAll();
  });

  await t.test('after the threads were ended by force, all but the last second', async () => {
    await scene.ask();
    await scene.assertAll();
    await sleep(2 * lossMaxMs);
    scene.service.signal('SIGUSR2');
    // The api thread is replaced, too, and may leave a request without an answer.
    await until('The thread is replaced', async () =>
      (await scene.restarts().catch(() => -1)) === 1 ? true : undefined,
    );
    await scene.ask();
    await scene.assertAll();
  });

  await t.test('after kill -9 in the middle of a flood, all but the last second', async () => {
    await scene.denyFlood();
    const lost: number[] = [];
    for (let round = 0; round < floodsMax && !lost.some(isLittle); round++) {
      const { killedMs, unanswered } = await scene.killInFlood(round);
      await scene.start();
      await scene.assertAll();
      const { numbers, newestMs } = await scene.flooded(round);
      lost.push(killedMs - newestMs);
      assertWhole(numbers, unanswered);
    }
    assert.ok(lost.some(isLittle), `The last ${lost.join(', ')} ms are lost.`);
  });

  await t.test('over a restart', async () => {
    await scene.ask();
    const done = await runCommand(['restart'], { dir: scene.dir });
    assert.equal(done.code, 0, done.err);
    await scene.ask();
    await until('The history is with the new process', async () =>
      (await scene.remembered()).length === 7 ? true : undefined,
    );
    await scene.assertAll();
  });

  await t.test('and a broken file is put aside, with a message', async () => {
    await scene.service.stop();
    writeFileSync(join(scene.dir, 'history.db'), 'this is no database '.repeat(500));
    await scene.start();
    await scene.ask();
    assert.ok((await scene.remembered()).includes('eight.lan'));
    const messages = await until('There is a message', async () => {
      const { body } = await scene.service.call('GET', '/api/info/messages');
      const texts = listAt(body, 'messages').map((row) => String(at(row, 'plain')));
      return texts.length > 0 ? texts : undefined;
    });
    assert.match(messages.join('\n'), /history\.db is broken: .* put aside as /);
  });
});
