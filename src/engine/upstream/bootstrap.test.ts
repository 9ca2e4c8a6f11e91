import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Rcode, Type } from '#wire';
import { startScene, startServer } from '#testing/engine/scene';
import { answer, errorOf, type TestQuery } from '#testing/engine/server';

const knows =
  (address: string, ttlSeconds = 60) =>
  (query: TestQuery): readonly Uint8Array[] => [answer(query, address, ttlSeconds)];

/** Two servers on one port of two loopback addresses, so that a name can move from one to the other. */
const twins = async (t: Parameters<typeof startServer>[0]) => {
  const first = await startServer(t, knows('192.0.2.1'), '127.0.0.1');
  const second = await startServer(t, knows('192.0.2.2'), '127.0.0.2', first.port);
  return { first, second, upstream: `dns.example#${first.port}` };
};

test('an upstream given by name is resolved by the bootstrap resolvers', async (t) => {
  const { first, upstream } = await twins(t);
  const resolver = await startServer(t, knows('127.0.0.1'));
  const scene = startScene(t, { upstreams: [upstream], bootstrap: [resolver.text] });
  const asked = await Promise.all(['a.example', 'b.example', 'c.example'].map((name) => scene.query(name)));
  assert.ok(asked.every(({ failure, reply }) => failure === '' && reply.at(-1) === 1));
  assert.equal(first.clientQueries.length, 3);
  const questions = resolver.clientQueries.map(({ name, type }) => `${name} ${type}`);
  assert.deepEqual(new Set(questions), new Set([`dns.example ${Type.A}`, `dns.example ${Type.AAAA}`]));
  assert.equal(questions.length, 2, 'once, however many wait');
});

test('without bootstrap resolvers the upstreams given by address are queried', async (t) => {
  const { first, upstream } = await twins(t);
  const plain = await startServer(t, (query) =>
    query.name === 'dns.example' ? [answer(query, '127.0.0.1')] : [errorOf(query, Rcode.refused)],
  );
  const scene = startScene(t, { upstreams: [plain.text, upstream], mode: 'strict' });
  assert.equal((await scene.query('www.example')).upstream, upstream);
  assert.equal(first.clientQueries.length, 1);
});

test('the address is renewed before its TTL ends, and the new one is used', async (t) => {
  const { second, upstream } = await twins(t);
  const resolver = await startServer(t, knows('127.0.0.1', 100));
  const scene = startScene(t, { upstreams: [upstream], bootstrap: [resolver.text] });
  assert.equal((await scene.query('a.example')).reply.at(-1), 1);
  resolver.script = knows('127.0.0.2', 100);
  scene.pass(70_000);
  assert.equal((await scene.query('b.example')).reply.at(-1), 1, 'not before');
  scene.pass(11_000);
  await scene.until('asked again', () => resolver.clientQueries.length === 4);
  await scene.until('moved', () => second.queries.length > 0 || scene.forwarder.inFlight === 0);
  assert.equal((await scene.query('c.example')).reply.at(-1), 2);
});

test('an old address stays in use when the renewal fails', async (t) => {
  const { upstream } = await twins(t);
  const resolver = await startServer(t, knows('127.0.0.1', 60));
  const scene = startScene(t, { upstreams: [upstream], bootstrap: [resolver.text] });
  await scene.query('a.example');
  for (const script of [() => [], (query: TestQuery) => [errorOf(query, Rcode.servFail)]]) {
    resolver.script = script;
    const before = resolver.clientQueries.length;
    scene.pass(90_000);
    await scene.until('asked again', () => resolver.clientQueries.length > before);
    scene.pass(6000);
    assert.equal((await scene.query('b.example')).reply.at(-1), 1);
  }
});

test('an upstream whose name does not resolve is unreachable, and retried soon', async (t) => {
  const { upstream } = await twins(t);
  const resolver = await startServer(t, (query) => [errorOf(query, Rcode.nxDomain)]);
  const scene = startScene(t, { upstreams: [upstream], bootstrap: [resolver.text] });
  const asked = await scene.query('a.example');
  assert.ok(asked.failure === 'unreachable' && asked.tookMs < 1000, asked.failure);
  resolver.script = knows('127.0.0.1');
  scene.pass(5100);
  await scene.until('asked again', () => resolver.clientQueries.length >= 4);
  assert.equal((await scene.query('b.example')).failure, '');
});

test('a question that another upstream has answered is not sent when the address arrives late', async (t) => {
  const { first, upstream } = await twins(t);
  const resolver = await startServer(t, () => []);
  const other = await startServer(t, knows('192.0.2.3'));
  const scene = startScene(t, {
    upstreams: [upstream, other.text],
    bootstrap: [resolver.text],
    mode: 'strict',
    timeouts: { overallMs: 5000, resendMs: 3000 },
  });
  assert.equal((await scene.query('a.example')).upstream, other.text);
  resolver.script = knows('127.0.0.1');
  scene.pass(2500);
  scene.pass(600);
  await scene.until('resolved', () => first.queries.length > 0);
  assert.deepEqual(first.clientQueries, []);
});

test('without any resolver an upstream given by name is unreachable at once', async (t) => {
  const scene = startScene(t, { upstreams: ['dns.example'] });
  const asked = await scene.query('a.example');
  assert.ok(asked.failure === 'unreachable' && asked.tookMs < 1000, asked.failure);
});

const knowsBoth = (query: TestQuery): readonly Uint8Array[] => {
  const both = answer(query, '127.0.0.1');
  if (query.type !== Type.A) return [both];
  both[7] = 2;
  return [Uint8Array.from([...both, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 2])];
};

test('questions on a connection also move to the new address', async (t) => {
  const { first, upstream } = await twins(t);
  first.script = () => [];
  const resolver = await startServer(t, knowsBoth);
  const scene = startScene(t, { upstreams: [`tcp://${upstream}`], bootstrap: [resolver.text] });
  const lost = scene.query('a.example');
  await scene.until('suspected', () => scene.forwarder.status()[0]?.state === 'suspected');
  scene.pass(2100);
  assert.equal((await lost).reply.at(-1), 2);
});

test('when one address of several is dead, the next one is used', async (t) => {
  const { first, second, upstream } = await twins(t);
  const resolver = await startServer(t, knowsBoth);
  const scene = startScene(t, { upstreams: [upstream], bootstrap: [resolver.text] });
  await scene.query('a.example');
  assert.deepEqual([first.clientQueries.length, second.clientQueries.length], [1, 0]);
  first.script = () => [];
  const lost = scene.query('b.example');
  await scene.until('suspected', () => scene.forwarder.status()[0]?.state === 'suspected');
  scene.pass(2500);
  await scene.until('the other address', () => second.queries.length > 0);
  assert.equal((await scene.query('c.example')).reply.at(-1), 2);
  assert.equal((await lost).reply.at(-1), 2, 'what was in flight moves along');
});

test("the system's resolvers are queried without upstreams, and for names of upstreams", async (t) => {
  const server = await startServer(t, knows('127.0.0.1'));
  const scene = startScene(t, { upstreams: [], system: [server.text] });
  assert.equal((await scene.query('www.example')).upstream, server.text);
  const named = `dns.example#${server.port}`;
  scene.set({ upstreams: [named] });
  assert.equal((await scene.query('www.example')).upstream, named);
  assert.ok(server.clientQueries.some(({ name }) => name === 'dns.example'));
});
