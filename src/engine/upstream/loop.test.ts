import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameFromText, Type } from '#wire';
import { isLoopProbe, loopProbeName, loopToken } from './loop-check.ts';
import { type Scene, startScene, startServer } from '#testing/engine/scene';
import { answer, textAnswer, type TestQuery } from '#testing/engine/server';

const wire = (text: string): Uint8Array => nameFromText(text) ?? new Uint8Array(1);

/** What the listener does with a probe that comes back: it answers its own, and forwards all others. */
const leadsTo =
  (find: () => Scene | undefined) =>
  (query: TestQuery): readonly Uint8Array[] => {
    const name = wire(query.name);
    const scene = find();
    const text = isLoopProbe(name, name.length) ? scene?.forwarder.loopAnswer(name) : undefined;
    return [text === undefined ? answer(query) : textAnswer(query, text)];
  };

test('each upstream is probed with a different name when options are set', async (t) => {
  const servers = await Promise.all([1, 2].map(() => startServer(t, (query) => [answer(query)])));
  startScene(t, { upstreams: servers.map(({ text }) => text) });
  const scene = startScene(t, { upstreams: servers.map(({ text }) => text), loopKey: 'other' });
  await scene.until('probes', () => servers.every(({ queries }) => queries.length >= 2));
  const names = servers.flatMap(({ queries }) => queries.map(({ name }) => name));
  assert.equal(new Set(names).size, 4, 'by upstream and by key');
  for (const name of names) assert.match(name, /^[\da-f]{16}\.loop\.sluice\.internal$/);
});

test('an upstream that loops back is reported, left out, and used again later', async (t) => {
  const looped: { scene?: Scene } = {};
  const loop = await startServer(
    t,
    leadsTo(() => looped.scene),
  );
  const good = await startServer(t, (query) => [answer(query)]);
  const scene = startScene(t, { upstreams: [loop.text, good.text], mode: 'strict' });
  looped.scene = scene;
  await scene.until('found', () => scene.forwarder.status()[0]?.state === 'loop');
  assert.match(scene.notices[0] ?? '', new RegExp(`${loop.text} sends our own questions back.+Set another`));
  for (let at = 0; at < 5; at += 1) assert.equal((await scene.query(`n${at}.example`)).upstream, good.text);
  assert.equal(loop.clientQueries.length, 0);
  loop.script = (query) => [answer(query)];
  scene.pass(31_000);
  await scene.until('mended', () => scene.forwarder.status()[0]?.state === 'healthy');
  assert.equal((await scene.query('end.example')).upstream, loop.text);
  assert.equal(scene.notices.length, 2);
});

test('a probe that reaches another worker is recognised and answered', async (t) => {
  const sender: { scene?: Scene } = {};
  const hearer: { scene?: Scene } = {};
  const loop = await startServer(
    t,
    leadsTo(() => hearer.scene),
  );
  hearer.scene = startScene(t, { upstreams: [loop.text] });
  sender.scene = startScene(t, { upstreams: [loop.text] });
  for (const { scene } of [sender, hearer]) {
    await scene?.until('found', () => scene.forwarder.status()[0]?.state === 'loop');
  }
});

test('when all upstreams loop back, questions fail at once with that reason', async (t) => {
  const looped: { scene?: Scene } = {};
  const loop = await startServer(
    t,
    leadsTo(() => looped.scene),
  );
  const scene = startScene(t, { upstreams: [loop.text] });
  looped.scene = scene;
  await scene.until('found', () => scene.forwarder.status()[0]?.state === 'loop');
  assert.equal((await scene.query('www.example')).failure, 'loop');
});

test('an upstream that answers every name is not considered a loop', async (t) => {
  const server = await startServer(t, (query) => [
    query.type === Type.TXT ? textAnswer(query, 'parked by us ok!') : answer(query),
  ]);
  const scene = startScene(t, { upstreams: [server.text] });
  await scene.query('www.example');
  await scene.until('the probe is over', () => scene.forwarder.inFlight === 0);
  assert.equal(scene.forwarder.status()[0]?.state, 'healthy');
});

test('a later loop is found too, because all are checked again', async (t) => {
  const looped: { scene?: Scene } = {};
  const server = await startServer(t, (query) => [answer(query)]);
  const scene = startScene(t, { upstreams: [server.text] });
  looped.scene = scene;
  await scene.until('the first check', () => server.queries.length === 1 && scene.forwarder.inFlight === 0);
  server.script = leadsTo(() => looped.scene);
  scene.pass(600_000);
  await scene.until('found', () => scene.forwarder.status()[0]?.state === 'loop');
});

test('new options start another loop check', async (t) => {
  const server = await startServer(t, (query) => [answer(query)]);
  const scene = startScene(t, { upstreams: [server.text] });
  await scene.until('the first check', () => server.queries.length === 1);
  scene.set({ mode: 'strict' });
  await scene.until('the second', () => server.queries.length === 2);
});

const probe = loopProbeName(loopToken('key', '192.0.2.1'));
const names: Record<string, boolean> = {
  [`${loopToken('key', '192.0.2.1')}.loop.sluice.internal`]: true,
  'loop.sluice.internal': false,
  '0123456789abcde.loop.sluice.internal': false,
  '0123456789abcdef0.loop.sluice.internal': false,
  'a.123456789abcd.loop.sluice.internal': false,
  '0123456789abcdef.loop.sluice.example0': false,
};

for (const [name, isProbe] of Object.entries(names)) {
  test(`${name} is ${isProbe ? 'a' : 'not a'} probe`, () => {
    assert.equal(isLoopProbe(wire(name), wire(name).length), isProbe);
    const roomy = new Uint8Array(256);
    roomy.set(wire(name));
    assert.equal(isLoopProbe(roomy, wire(name).length), isProbe);
  });
}

test('a probe of another server is not answered as ours', async (t) => {
  const scene = startScene(t, { upstreams: ['192.0.2.1'], loopKey: 'another' });
  assert.equal(scene.forwarder.isLoopProbe(probe, probe.length), true);
  assert.equal(scene.forwarder.loopAnswer(probe), undefined);
});
