// The thread of a simulation: it queries the history through the thread that started it, and ends when its
// caller no longer waits.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HistoryReader } from '#history/thread';
import { threadEntry } from '#testing/service/thread-entry';
import { SimulateThreads, type SimulationRequest } from '#control/simulate';
import { basePlan, simulateScene, untilMs, type SimulateScene } from '#testing/simulate/scene';

const maxMs = 60_000;
/** On a busy machine a limit may pass before the thread sends its question; then the next one is tried. */
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

test('a simulation in a thread returns its result', async (context) => {
  const scene = simulateScene(context);
  const result = await threadsOver(scene.history).run(
    { kind: 'simulate', request: requestOf(scene) },
    { maxMs },
  );
  assert.ok('freed' in result, JSON.stringify(result));
  assert.equal(result.queries, scene.rows.length);
  assert.equal(result.freed.topDomains.length, 3);
});

type Interrupted = {
  readonly running: Promise<unknown>;
  readonly leaving: AbortController;
  /** Of its question; undefined when it ended without one. */
  readonly signal: AbortSignal | undefined;
};

/** A simulation that waits for a history that never answers. */
async function startUnanswered(scene: SimulateScene, limitMs: number): Promise<Interrupted> {
  const question = Promise.withResolvers<AbortSignal | undefined>();
  const silent: HistoryReader = {
    query: (_name, _question, { signal }) => {
      question.resolve(signal);
      return new Promise(() => undefined);
    },
  };
  const leaving = new AbortController();
  const job = { kind: 'simulate', request: requestOf(scene) } as const;
  const running = threadsOver(silent).run(job, { maxMs: limitMs, signal: leaving.signal });
  const signal = await Promise.race([question.promise, running.then(() => undefined)]);
  return { running, leaving, signal };
}

test('a simulation and its questions end when the caller leaves', async (context) => {
  const { running, leaving, signal } = await startUnanswered(simulateScene(context), maxMs);
  assert.equal(signal?.aborted, false);
  leaving.abort();
  assert.match(JSON.stringify(await running), /did not finish/);
  assert.equal(signal.aborted, true);
});

test('a simulation and its questions end at the time limit', async (context) => {
  const scene = simulateScene(context);
  for (const limitMs of timesMs) {
    const { running, signal } = await startUnanswered(scene, limitMs);
    assert.match(JSON.stringify(await running), /did not finish/);
    if (signal === undefined) continue;
    assert.equal(signal.aborted, true);
    return;
  }
  assert.fail('The simulation never sent a question.');
});

test('a failure of the history is reported', async (context) => {
  const scene = simulateScene(context);
  const unavailable: HistoryReader = { query: () => Promise.resolve({ ok: false, problem: 'It is away.' }) };
  const job = { kind: 'simulate', request: requestOf(scene) } as const;
  assert.deepEqual(await threadsOver(unavailable).run(job, { maxMs }), {
    problem: 'It is away.',
    isHistory: true,
  });
});
