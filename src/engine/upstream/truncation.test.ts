import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startScene, startServer } from '#testing/engine/scene';
import { answer, framed, lowerCased, patched, type TestQuery, truncated } from '#testing/engine/server';

const byTcpOnly = (query: TestQuery): readonly Uint8Array[] =>
  query.via === 'udp' ? [truncated(query)] : [answer(query)];

test('a truncated answer is retried over TCP, on one persistent connection', async (t) => {
  const server = await startServer(t, byTcpOnly);
  const scene = startScene(t, { upstreams: [server.text] });
  const all = await Promise.all(Array.from({ length: 30 }, (_, at) => scene.query(`n${at}.example`)));
  for (const asked of all) assert.deepEqual([...asked.reply.subarray(-4)], [192, 0, 2, 1]);
  assert.equal(server.tcpConnections, 1);
  assert.equal(server.clientQueries.filter(({ via }) => via === 'tcp').length, 30);
});

test('without TCP the truncated answer is passed on, and the upstream stays healthy', async (t) => {
  const server = await startServer(t, byTcpOnly);
  await server.stopTcp();
  const scene = startScene(t, { upstreams: [server.text] });
  const asked = await scene.query('www.example');
  assert.deepEqual([asked.failure, (asked.reply[2] ?? 0) & 2], ['', 2]);
  assert.equal(scene.forwarder.status()[0]?.state, 'healthy');
});

test('replies by TCP may come in any order and in any pieces', async (t) => {
  const waiting: TestQuery[] = [];
  const server = await startServer(t, (query) => {
    if (query.via === 'tcp' && query.name.endsWith('.example')) waiting.push(query);
    return query.via === 'udp' ? [truncated(query)] : [];
  });
  server.afterTcp = (socket) => {
    if (waiting.length < 5) return;
    const bytes = waiting
      .splice(0)
      .toReversed()
      .map((query, at) => framed(answer(query, `192.0.2.${10 + at}`)));
    const joined = Buffer.concat(bytes);
    socket.setNoDelay(true);
    for (const byte of joined) socket.write(Uint8Array.of(byte));
  };
  const scene = startScene(t, { upstreams: [server.text] });
  const all = await Promise.all(Array.from({ length: 5 }, (_, at) => scene.query(`n${at}.example`)));
  const lasts = new Set(all.map(({ reply }) => reply.at(-1)));
  assert.deepEqual(lasts, new Set([14, 13, 12, 11, 10]));
});

test('a connection that closes in the middle of a message is opened again once', async (t) => {
  const server = await startServer(t, byTcpOnly);
  let cuts = 1;
  server.script = (query) => (query.via === 'tcp' && cuts > 0 ? [] : byTcpOnly(query));
  server.afterTcp = (socket) => {
    if (cuts === 0) return;
    cuts -= 1;
    socket.end(Uint8Array.of(0, 60, 1, 2, 3));
  };
  const scene = startScene(t, { upstreams: [server.text] });
  const asked = await scene.query('www.example');
  assert.deepEqual([asked.failure, asked.reply.at(-1)], ['', 1]);
  assert.equal(server.tcpConnections, 2);
});

test('a connection that is reset each time fails after one retry', async (t) => {
  const server = await startServer(t, () => []);
  server.afterTcp = (socket) => socket.resetAndDestroy();
  const scene = startScene(t, { upstreams: [`tcp://${server.text}`] });
  const asked = await scene.query('www.example');
  assert.equal(asked.failure, 'unreachable');
  assert.equal(server.clientQueries.length, 2);
});

test('tcp:// uses only TCP, and a closed port is unreachable at once', async (t) => {
  const server = await startServer(t, (query) => [answer(query)]);
  const scene = startScene(t, { upstreams: [`tcp://${server.text}`] });
  const asked = await scene.query('www.example');
  assert.deepEqual([asked.failure, asked.upstream], ['', `tcp://${server.text}`]);
  assert.ok(server.queries.every(({ via }) => via === 'tcp'));
  await server.stopTcp();
  const closed = await scene.query('www.example');
  assert.ok(closed.failure === 'unreachable' && closed.tookMs < 1000);
});

test('an idle connection is closed, and the next question opens one', async (t) => {
  const server = await startServer(t, (query) => [answer(query)]);
  const scene = startScene(t, { upstreams: [`tcp://${server.text}`] });
  await scene.query('a.example');
  await scene.query('b.example');
  assert.equal(server.tcpConnections, 1);
  scene.pass(31_000);
  await scene.query('c.example');
  assert.equal(server.tcpConnections, 2);
});

test('a connection that goes silent is closed, and a new one is tried', async (t) => {
  const server = await startServer(t, (query) => [answer(query)]);
  const scene = startScene(t, { upstreams: [`tcp://${server.text}`] });
  await scene.query('a.example');
  server.script = () => [];
  const open = scene.query('b.example');
  await scene.until('it was asked', () => server.clientQueries.length === 2);
  server.script = (query) => [answer(query)];
  scene.pass(3100);
  assert.equal((await open).failure, '');
  assert.equal(server.tcpConnections, 2);
});

test('forged replies by TCP are ignored', async (t) => {
  const server = await startServer(t, (query) => {
    const truth = answer(query);
    return [
      patched(truth, { 0: (truth[0] ?? 0) ^ 1 }),
      patched(truth, { 13: 0x78 }),
      truth.slice(0, 1),
      truth,
    ];
  });
  const scene = startScene(t, { upstreams: [`tcp://${server.text}`] });
  assert.equal((await scene.query('wxyz.example')).failure, '');
});

test('each question has one outcome when the server closes connections at any moment', async (t) => {
  const server = await startServer(t, byTcpOnly);
  let count = 0;
  server.afterTcp = (socket) => {
    count += 1;
    if (count % 7 === 0) socket.destroy();
    else if (count % 11 === 0) socket.resetAndDestroy();
    else if (count % 13 === 0) socket.end(Uint8Array.of(0));
  };
  const scene = startScene(t, { upstreams: [server.text, `tcp://${server.text}`], mode: 'parallel' });
  const all = [];
  for (let round = 0; round < 20; round += 1) {
    all.push(...Array.from({ length: 20 }, (_, at) => scene.query(`n${round}x${at}.example`)));
    await scene.query(`r${round}.example`);
  }
  const outcomes = await Promise.all(all);
  assert.ok(outcomes.every(({ failure }) => failure === '' || failure === 'unreachable'));
  assert.ok(outcomes.filter(({ failure }) => failure === '').length > 350);
  await scene.until('nothing is left', () => scene.forwarder.inFlight === 0);
});

const letters = 'abcdefghijklmnopqrstuvwxyz.example';
const ofClients = (server: { clientQueries: TestQuery[] }, via: string): number =>
  server.clientQueries.filter((query) => query.via === via).length;

const learnToKeep = async (scene: ReturnType<typeof startScene>): Promise<void> => {
  for (let at = 0; at < 4; at += 1) await scene.query(letters);
};

test('a server that changes the case is detected over TCP once, then queried in lower case', async (t) => {
  const server = await startServer(t, (query) => [lowerCased(answer(query))]);
  const scene = startScene(t, { upstreams: [server.text] });
  for (let at = 0; at < 5; at += 1) assert.equal((await scene.query(letters)).failure, '');
  assert.ok(server.queries.filter(({ via }) => via === 'tcp').length <= 2, 'one check, perhaps two at once');
  const last = server.clientQueries.at(-1);
  assert.equal(last?.via, 'udp');
  assert.deepEqual(last?.bytes, lowerCased(last?.bytes ?? new Uint8Array(0)));
});

test('a server that changes the case is used without TCP as well', async (t) => {
  const server = await startServer(t, (query) => [lowerCased(answer(query))]);
  await server.stopTcp();
  const scene = startScene(t, { upstreams: [server.text] });
  for (let at = 0; at < 3; at += 1) assert.equal((await scene.query(letters)).failure, '');
});

test('a reply in the wrong case from a server that keeps the case is never accepted', async (t) => {
  const server = await startServer(t, (query) => [answer(query)]);
  const scene = startScene(t, { upstreams: [server.text], timeouts: { overallMs: 200, resendMs: 1000 } });
  await learnToKeep(scene);
  server.script = (query) => [lowerCased(answer(query, '203.0.113.66')), answer(query)];
  assert.equal((await scene.query(letters)).reply.at(-1), 1);
  server.script = (query) => [lowerCased(answer(query, '203.0.113.66'))];
  assert.equal((await scene.query(letters)).failure, 'timeout');
  assert.equal(ofClients(server, 'tcp'), 0);
});

test('a server that stops keeping the case is detected over TCP', async (t) => {
  const server = await startServer(t, (query) => [answer(query)]);
  const scene = startScene(t, { upstreams: [server.text], timeouts: { overallMs: 2000, resendMs: 50 } });
  await learnToKeep(scene);
  server.script = (query) => [lowerCased(answer(query))];
  assert.equal((await scene.query(letters)).failure, '');
  assert.equal(ofClients(server, 'tcp'), 1);
  assert.equal((await scene.query(letters)).failure, '');
  assert.equal(ofClients(server, 'tcp'), 1, 'and that is remembered');
});

test('what was learned about a server is forgotten after it was down', async (t) => {
  const server = await startServer(t, (query) => [answer(query)]);
  const scene = startScene(t, { upstreams: [server.text], timeouts: { overallMs: 4000, resendMs: 20_000 } });
  await learnToKeep(scene);
  server.script = () => [];
  const lost = scene.query(letters);
  await scene.until('suspected', () => scene.forwarder.status()[0]?.state === 'suspected');
  scene.pass(2100);
  assert.equal(scene.forwarder.status()[0]?.state, 'down');
  server.script = (query) => [lowerCased(answer(query))];
  assert.equal((await scene.query(letters)).failure, '', 'without waiting for a repetition');
  scene.pass(2000);
  assert.equal((await lost).failure, 'timeout');
});

test('a forged first reply in the wrong case is detected over TCP', async (t) => {
  const server = await startServer(t, (query) =>
    query.via === 'udp' ? [lowerCased(answer(query, '203.0.113.66'))] : [answer(query)],
  );
  const scene = startScene(t, { upstreams: [server.text] });
  assert.equal((await scene.query(letters)).reply.at(-1), 1);
});

test('a server without EDNS is queried without it, and that is remembered', async (t) => {
  const server = await startServer(t, (query) => {
    const hasOpt = query.bytes[11] !== 0;
    const head = patched(answer(query).slice(0, 12), { 3: 0x81, 5: 0, 7: 0 });
    return [hasOpt ? head : answer(query)];
  });
  const scene = startScene(t, { upstreams: [server.text] });
  assert.equal((await scene.query('a.example')).rcode, 0);
  const before = server.clientQueries.length;
  assert.equal((await scene.query('b.example')).rcode, 0);
  assert.equal(server.clientQueries.length, before + 1);
});
