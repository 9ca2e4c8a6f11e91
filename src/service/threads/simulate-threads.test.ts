// The thread of a simulation: it asks the history through whoever started it, and ends when nobody waits.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HistoryReader } from '#history/thread';
import { threadEntry } from '#testing/service/thread-entry';
import { SimulateThreads, type SimulationRequest } from '#control/simulate';
import { basePlan, simulateScene, untilMs, type SimulateScene } from '#testing/simulate/scene';

const maxMs = 60_000;
/** A thread that a busy machine lets begin after its time is up asks nothing; then it is given more. */
const timesMs = [1_500, 6_000, 20_000];

function requestOf({ dataDir }: SimulateScene): SimulationRequest {
  return {
    dataDir,
    before: basePlan,
    after: { ...basePlan, lists: [] },
    texts: [],
    fromMs: -Infinity,
    untilMs,
    top: 3,
    limitMs: maxMs,
  };
}

function threadsOver(history: HistoryReader): SimulateThreads {
  return new SimulateThreads({ entry: threadEntry('simulate'), compileCacheDir: undefined, history });
}

test('a simulation in a thread of its own', async (context) => {
  const scene = simulateScene(context);
  const told = await threadsOver(scene.history).run(
    { kind: 'simulate', request: requestOf(scene) },
    { maxMs },
  );
  assert.ok('freed' in told, JSON.stringify(told));
  assert.equal(told.queries, scene.rows.length);
  assert.equal(told.freed.topDomains.length, 3);
});

type Interrupted = {
  readonly running: Promise<unknown>;
  readonly leaving: AbortController;
  /** Of its question; nothing when it has ended without one. */
  readonly signal: AbortSignal | undefined;
};

/** A simulation that has asked a history that never answers. */
async function askedInVain(scene: SimulateScene, limitMs: number): Promise<Interrupted> {
  const asked = Promise.withResolvers<AbortSignal | undefined>();
  const silent: HistoryReader = {
    ask: (_name, _question, { signal }) => {
      asked.resolve(signal);
      return new Promise(() => undefined);
    },
  };
  const leaving = new AbortController();
  const job = { kind: 'simulate', request: requestOf(scene) } as const;
  const running = threadsOver(silent).run(job, { maxMs: limitMs, signal: leaving.signal });
  const signal = await Promise.race([asked.promise, running.then(() => undefined)]);
  return { running, leaving, signal };
}

test('a simulation and its questions end when the caller leaves', async (context) => {
  const { running, leaving, signal } = await askedInVain(simulateScene(context), maxMs);
  assert.equal(signal?.aborted, false);
  leaving.abort();
  assert.match(JSON.stringify(await running), /did not finish/);
  assert.equal(signal.aborted, true);
});

test('a simulation and its questions end at the time limit', async (context) => {
  const scene = simulateScene(context);
  for (const limitMs of timesMs) {
    const { running, signal } = await askedInVain(scene, limitMs);
    assert.match(JSON.stringify(await running), /did not finish/);
    if (signal === undefined) continue;
    assert.equal(signal.aborted, true);
    return;
  }
  assert.fail('It never came to ask.');
});

test('a failure of the history is reported', async (context) => {
  const scene = simulateScene(context);
  const away: HistoryReader = { ask: () => Promise.resolve({ ok: false, problem: 'It is away.' }) };
  const job = { kind: 'simulate', request: requestOf(scene) } as const;
  assert.deepEqual(await threadsOver(away).run(job, { maxMs }), { problem: 'It is away.', isHistory: true });
});
