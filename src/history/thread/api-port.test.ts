// The history thread's end of the port: the time limit of an answer.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import type { BudgetOptions } from '../segments/budget.ts';
import type { HistoryKeeper } from './keeper.ts';
import { ApiPort } from './api-port.ts';
import { makeCancelled, type ToHistoryLine } from './protocol.ts';

test('the parts of an answer share its time limit', async (context) => {
  let nowMs = 1_000;
  const left: number[] = [];
  const answer = (_name: string, _asked: unknown, _wallMs: number, budget: BudgetOptions): void => {
    for (let part = 0; part < 3; part++) {
      left.push(budget.limitMs);
      nowMs += 700;
    }
  };
  const keeper = { answerer: { answer }, catchUp: () => 0, situations: new Map(), seen: { list: () => [] } };
  const { port1, port2 } = new MessageChannel();
  const line = new ApiPort(
    { port: port1, cancelled: makeCancelled() },
    {
      // The parts of the keeper that one question needs.
      keeper: keeper as unknown as HistoryKeeper,
      wallMs: () => 0,
      sharedMs: () => nowMs,
      between: () => undefined,
      notice: (_, text) => assert.fail(text),
    },
  );
  context.after(() => line.close());
  const scope = { fromMs: 0, untilMs: Infinity };
  const asked: ToHistoryLine = { kind: 'ask', number: 1, name: 'summary', question: scope, limitMs: 1_000 };
  port2.postMessage(asked);
  await once(port2, 'message');
  assert.deepEqual(left, [1_000, 300, 0]);
});
