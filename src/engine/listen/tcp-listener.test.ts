// DNS over TCP with real connections; which letter is answered how is said in test-streams.ts.

import assert from 'node:assert/strict';
import test from 'node:test';
import { acquit, BlackBox, makeBlackBox } from '../net/black-box.ts';
import { type Culprit, reportStreamQuery } from './culprit.ts';
import { maxQueryBytes } from './message-reader.ts';
import { maxPending } from './stream-connection.ts';
import { StreamLimits } from './stream-limits.ts';
import { frames, openClient, pass, serve, until } from '#testing/engine/streams';

test('300 queries in one write get 300 answers', async (context) => {
  const { client } = await serve(context);
  const queries = Array.from({ length: 300 }, (_, index) => `${index % 3 === 0 ? 'l' : 'e'} query ${index}`);
  client.write(frames(queries));
  const answers = await client.take(300);
  assert.deepEqual(answers.toSorted(), queries.map((query) => query.toUpperCase()).toSorted());
});

for (const size of [1, 2, 3, 7, 64]) {
  test(`queries that arrive ${size} bytes at a time are answered`, async (context) => {
    const { client } = await serve(context);
    const queries = Array.from({ length: 20 }, (_, index) => `e query ${index}`);
    const bytes = frames(queries);
    for (let at = 0; at < bytes.length; at += size) {
      client.write(bytes.subarray(at, at + size));
      if (at % (8 * size) === 0) await pass(1);
    }
    assert.deepEqual(
      await client.take(20),
      queries.map((query) => query.toUpperCase()),
    );
  });
}

test('answers are sent as they are ready, not in the order of the queries', async (context) => {
  const { client, tester } = await serve(context);
  tester.isHolding = true;
  client.write(frames(['l 1', 'l 2', 'n', 'e 3']));
  assert.deepEqual(await client.take(1), ['E 3']);
  tester.release();
  assert.deepEqual(await client.take(2), ['L 2', 'L 1']);
});

test('the source has both addresses, IPv4 also on a dual-stack socket', async (context) => {
  const { client, tester, port } = await serve(context, {}, '::');
  client.write(frames(['e']));
  await client.take(1);
  const [ipv4] = tester.sources;
  assert.ok(ipv4);
  assert.deepEqual([ipv4.transport.name, ipv4.local.text, ipv4.clientName], ['tcp', '127.0.0.1', undefined]);
  assert.deepEqual([...ipv4.local.bytes], [127, 0, 0, 1]);
  assert.ok(ipv4.client.isIpv4 && ipv4.client.isLoopback);
  assert.equal(ipv4.clientPort, client.socket.localPort);
  const other = await openClient(context, port, '::1');
  other.write(frames(['e']));
  await other.take(1);
  const ipv6 = [...tester.sources][1];
  assert.ok(ipv6 !== undefined && !ipv6.client.isIpv4 && ipv6.client.isLoopback);
  assert.equal(ipv6.local.text, '::1');
});

test('an idle connection is closed, one with a pending query is not', async (context) => {
  const { port, tester, client } = await serve(context, { idleMs: 600 });
  tester.isHolding = true;
  const waiting = await openClient(context, port);
  waiting.write(frames(['l']));
  await client.ended;
  await pass(200);
  tester.release();
  assert.deepEqual(await waiting.take(1), ['L']);
  await waiting.ended;
});

test('a client whose query is never answered is disconnected', async (context) => {
  const { client, tester } = await serve(context, { idleMs: 20 });
  tester.isHolding = true;
  client.write(frames(['l']));
  await client.closed;
});

test('a message that is sent too slowly times out', async (context) => {
  const { client } = await serve(context, { idleMs: 100 });
  const bytes = frames([`e${'x'.repeat(1000)}`]);
  let at = 0;
  const dripping = setInterval(() => client.write(bytes.subarray(at, (at += 1))), 10);
  context.after(() => clearInterval(dripping));
  await client.closed;
  assert.ok(at < 100, `cut after ${at} bytes`);
});

test('a client that has ended its side still gets its answers', async (context) => {
  const { client, tester } = await serve(context);
  tester.isHolding = true;
  client.write(frames(['l 1', 'e 2']));
  client.socket.end();
  assert.deepEqual(await client.take(1), ['E 2']);
  tester.release();
  assert.deepEqual(await client.take(1), ['L 1']);
  await client.ended;
});

for (const [name, bytes] of [
  ['an empty message', Uint8Array.of(0, 0)],
  ['a message that is too long', Uint8Array.of((maxQueryBytes + 1) >>> 8, (maxQueryBytes + 1) & 255)],
] as const) {
  test(`${name} closes the connection`, async (context) => {
    const { client } = await serve(context);
    client.write(bytes);
    await client.closed;
  });
}

test('the longest query is read', async (context) => {
  const { client } = await serve(context);
  const query = `e${'x'.repeat(maxQueryBytes - 1)}`;
  client.write(frames([query]));
  assert.deepEqual(await client.take(1), [query.toUpperCase()]);
});

test('the pending queries of one connection are bounded', async (context) => {
  const { client, tester } = await serve(context);
  tester.isHolding = true;
  const queries = Array.from({ length: maxPending + 50 }, (_, index) => `l ${index}`);
  client.write(frames(queries));
  client.write(frames(['e after']));
  await until(() => tester.queries === maxPending);
  await pass(20);
  assert.equal(tester.queries, maxPending);
  tester.isHolding = false;
  tester.release();
  const answers = await client.take(queries.length + 1);
  assert.deepEqual(
    answers.toSorted(),
    [...queries, 'e after'].map((query) => query.toUpperCase()).toSorted(),
  );
});

test('a client that does not read is not read from, and then disconnected', async (context) => {
  const { client, tester } = await serve(context, { idleMs: 150 });
  client.socket.pause();
  const queries = Array.from({ length: 1000 }, () => 'b');
  client.write(frames(queries));
  await until(() => tester.queries > 0);
  await pass(50);
  // What the sockets of both sides take, and little more: some megabytes of the 60 asked for.
  assert.ok(tester.queries < 300, `answered ${tester.queries}`);
  await client.serverClosed;
});

test('a client that reads slowly gets everything', async (context) => {
  const { client, tester } = await serve(context, { idleMs: 5_000 });
  client.socket.pause();
  client.write(frames(Array.from({ length: 400 }, () => 'b')));
  await pass(50);
  assert.ok(tester.queries < 400);
  client.socket.resume();
  assert.equal((await client.take(400)).length, 400);
});

test('late answers to a client that does not read are not queued without bound', async (context) => {
  const { client, tester } = await serve(context);
  tester.isHolding = true;
  client.socket.pause();
  client.write(frames(Array.from({ length: maxPending }, () => 'B')));
  await until(() => tester.queries === maxPending);
  tester.release();
  await client.serverClosed;
});

test('one client may have as many connections as the limit, and not one more', async (context) => {
  const limits = new StreamLimits({ connectionsPerClient: 3 });
  const { port, client } = await serve(context, { limits });
  const others = [await openClient(context, port), await openClient(context, port)];
  for (const one of [client, ...others]) assert.deepEqual(await one.query('e'), 'E');
  const refused = await openClient(context, port);
  await refused.closed;
  assert.deepEqual([limits.count, limits.refused], [3, 1]);
  others[0]?.socket.destroy();
  await until(() => limits.count === 2);
  assert.equal(await (await openClient(context, port)).query('e'), 'E');
});

test('at the limit the longest idle connection is closed, or else the new one', async (context) => {
  const limits = new StreamLimits({ connections: 2 });
  const { port, client, tester } = await serve(context, { limits });
  const second = await openClient(context, port);
  assert.equal(await second.query('e'), 'E');
  assert.equal(await client.query('e'), 'E');
  const third = await openClient(context, port);
  await second.closed;
  tester.isHolding = true;
  for (const one of [client, third]) one.write(frames(['l']));
  await until(() => tester.queries === 4);
  await (
    await openClient(context, port)
  ).closed;
  tester.release();
  for (const one of [client, third]) assert.deepEqual(await one.take(1), ['L']);
});

test('draining answers pending queries and then closes', async (context) => {
  const { client, tester, listener, port } = await serve(context);
  const idle = await openClient(context, port);
  assert.equal(await idle.query('e'), 'E');
  tester.isHolding = true;
  client.write(frames(['l']));
  await until(() => tester.queries === 2);
  const drained = listener.drain(5000);
  await idle.ended;
  tester.release();
  assert.deepEqual(await client.take(1), ['L']);
  await drained;
  assert.equal(listener.count, 0);
});

test('draining ends at its time limit', async (context) => {
  const { client, tester, listener } = await serve(context);
  tester.isHolding = true;
  client.write(frames(['l']));
  await until(() => tester.queries === 1);
  await listener.drain(50);
  await client.closed;
});

test('the current query is noted in the black box and removed afterwards', async (context) => {
  const box = makeBlackBox(0);
  const { client, tester } = await serve(context, { box });
  const culprits: Culprit[] = [];
  tester.onQuery = () => {
    const copy = new SharedArrayBuffer(box.byteLength);
    new Uint8Array(copy).set(new Uint8Array(box));
    reportStreamQuery(new BlackBox(copy), (culprit) => culprits.push(culprit));
  };
  assert.equal(await client.query('e poison'), 'E POISON');
  const { localPort: clientPort } = client.socket;
  const packet = Buffer.from('e poison').toString('hex');
  assert.deepEqual(culprits, [{ during: 'query', client: '127.0.0.1', clientPort, packet }]);
  reportStreamQuery(new BlackBox(box), () => assert.fail('nothing is worked on'));
});

test('an acquitted thread reports no culprit, its successor does again', async (context) => {
  const box = makeBlackBox(0);
  const { client, tester } = await serve(context, { box });
  const culprits: Culprit[] = [];
  const copy = new SharedArrayBuffer(box.byteLength);
  tester.onQuery = () => {
    new Uint8Array(copy).set(new Uint8Array(box));
    if (culprits.length === 0 && tester.queries === 1) acquit(copy);
    reportStreamQuery(new BlackBox(copy), (culprit) => culprits.push(culprit));
  };
  await client.query('e innocent');
  await client.query('e guilty');
  assert.deepEqual(
    culprits.map(({ packet }) => Buffer.from(packet, 'hex').toString()),
    ['e guilty'],
  );
});
