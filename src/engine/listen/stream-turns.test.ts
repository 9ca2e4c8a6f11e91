// Whose turn it is, with real connections that send more than one turn takes. What may be worked on per turn
// is counted by turns of the event loop, not by time: between two looks of the test lie parts of two turns.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import test, { type TestContext } from 'node:test';
import type { QuerySource } from '../query-source.ts';
import { maxIgnoredBytes } from './stream-connection.ts';
import { StreamLimits } from './stream-limits.ts';
import { restMs, shareCost, turnCost } from './stream-turns.ts';
import { frames, openClient, serve, type Tester, until } from '#testing/engine/streams';

const many = (letter: string, count: number): Buffer =>
  frames(Array.from({ length: count }, () => `${letter}${'x'.repeat(20)}`));

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Without a timer, for tests that have fake ones. */
async function asked(tester: Tester, count: number): Promise<void> {
  for (let turns = 0; tester.queries < count; turns++) {
    assert.ok(turns < 1_000_000, `${tester.queries} of ${count} queries came`);
    await nextTurn();
  }
}

/** The most that was asked in one turn of the event loop, in all and over one connection. */
function watchTurns(context: TestContext, tester: Tester): { total: number; one: number } {
  const most = { total: 0, one: 0 };
  const turn = new Map<QuerySource, number>();
  tester.onQuery = (source) => turn.set(source, (turn.get(source) ?? 0) + 1);
  let look = setImmediate(function next() {
    const counts = [...turn.values()];
    most.one = Math.max(most.one, ...counts);
    most.total = Math.max(
      most.total,
      counts.reduce((sum, count) => sum + count, 0),
    );
    turn.clear();
    look = setImmediate(next);
  });
  context.after(() => clearImmediate(look));
  return most;
}

test('a turn bounds the queries of one connection and of all connections', async (context) => {
  const { client, port, tester } = await serve(context);
  const clients = [client];
  while (clients.length < 12) clients.push(await openClient(context, port));
  const most = watchTurns(context, tester);
  for (const one of clients) one.write(many('e', 3000));
  for (const one of clients) assert.equal((await one.take(3000)).length, 3000);
  assert.ok(most.one <= 2 * shareCost, `${most.one} of one connection`);
  assert.ok(most.total <= 2 * turnCost, `${most.total} of all`);
});

test('long messages use up a turn faster than short ones', async (context) => {
  const { client, tester } = await serve(context);
  const most = watchTurns(context, tester);
  client.write(frames(Array.from({ length: 300 }, () => `e${'x'.repeat(3071)}`)));
  await client.take(300);
  // Each is a message, 3 KiB of query and as much of answer.
  assert.ok(most.one <= 2 * Math.ceil(shareCost / 7), `${most.one}`);
});

test('a refused client is served one query per rest, each with a refusal', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { client, tester } = await serve(context);
  client.write(many('u', 1000));
  for (let heard = 1; heard <= 4; heard++) {
    await asked(tester, heard);
    context.mock.timers.tick(restMs - 1);
    await nextTurn();
    assert.equal(tester.queries, heard, 'not before the rest is over');
    context.mock.timers.tick(1);
  }
  context.mock.timers.reset();
  assert.equal((await client.take(4)).length, 4);
});

test('a refused client is served normally once it is allowed', async (context) => {
  const { client } = await serve(context);
  client.write(frames(['u', ...Array.from({ length: 500 }, () => 'e')]));
  const answers = await client.take(501);
  assert.deepEqual([answers[0], answers[500]], ['U', 'E']);
});

test('a refused client that keeps sending is disconnected after the idle time', async (context) => {
  const { client } = await serve(context, { idleMs: 2 * restMs });
  client.write(many('u', 1000));
  await client.closed;
});

test('a refused client is disconnected when another needs its place', async (context) => {
  const limits = new StreamLimits({ connections: 1 });
  const { client, port, tester } = await serve(context, { limits });
  client.write(many('u', 1000));
  await until(() => tester.queries > 0);
  assert.equal(await (await openClient(context, port)).query('e'), 'E');
  await client.closed;
});

test('a refused client that has closed its side is disconnected', async (context) => {
  const { client } = await serve(context);
  client.socket.end(frames(['u', 'u']));
  await client.ended;
});

test('a drained connection ignores a bounded number of bytes', async (context) => {
  const { client, port, listener } = await serve(context);
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).resume();
  context.after(() => socket.destroy());
  const ended = once(socket, 'end');
  socket.on('error', () => undefined);
  await until(() => listener.count === 2);
  const drained = listener.drain(60_000);
  await Promise.all([ended, client.ended]);
  socket.write(Buffer.alloc(4 * maxIgnoredBytes));
  await until(() => listener.count === 0);
  await drained;
});
