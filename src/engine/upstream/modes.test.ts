import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Rcode } from '#wire';
import { startScene, startServer } from '#testing/engine/scene';
import { answer, errorOf, type TestQuery, type TestServer } from '#testing/engine/server';

const good = (query: TestQuery): readonly Uint8Array[] => [answer(query)];
const silent = (): readonly Uint8Array[] => [];
const failing = (query: TestQuery): readonly Uint8Array[] => [errorOf(query, Rcode.servFail)];

const servers = async (t: TestContext, count: number): Promise<[TestServer, TestServer, ...TestServer[]]> => {
  const [a, b, ...more] = await Promise.all(Array.from({ length: count }, () => startServer(t, good)));
  assert.ok(a && b);
  return [a, b, ...more];
};

test('strict: the first upstream is queried as long as it answers', async (t) => {
  const [a, b] = await servers(t, 2);
  const scene = startScene(t, { upstreams: [a.text, b.text], mode: 'strict' });
  for (let at = 0; at < 10; at += 1) assert.equal((await scene.query(`n${at}.example`)).upstream, a.text);
  assert.deepEqual([a.clientQueries.length, b.clientQueries.length], [10, 0]);
});

test('fastest: the faster upstream is found, and the other is measured now and then', async (t) => {
  const [slow, fast] = await servers(t, 2);
  slow.delayMs = 30;
  const scene = startScene(t, { upstreams: [slow.text, fast.text], mode: 'fastest' });
  for (let at = 0; at < 5; at += 1) await scene.query(`n${at}.example`);
  const before = slow.clientQueries.length;
  for (let at = 0; at < 20; at += 1) assert.equal((await scene.query(`m${at}.example`)).upstream, fast.text);
  assert.equal(slow.clientQueries.length, before, 'not asked again at once');
  scene.pass(5000);
  assert.equal((await scene.query('later.example')).upstream, fast.text);
  assert.equal(slow.clientQueries.at(-1)?.name, 'later.example', 'a real question measures it');
  slow.delayMs = 0;
  fast.delayMs = 40;
  for (let at = 0; at < 12; at += 1) {
    scene.pass(5000);
    await scene.query(`o${at}.example`);
  }
  assert.equal((await scene.query('end.example')).upstream, slow.text, 'who becomes faster is preferred');
});

test('parallel: all upstreams are queried and the first answer counts', async (t) => {
  const [a, b, c] = await servers(t, 3);
  a.delayMs = 400;
  const scene = startScene(t, { upstreams: [a.text, b.text, c?.text ?? ''], mode: 'parallel' });
  const asked = await scene.query('www.example');
  assert.ok(asked.upstream !== a.text && asked.tookMs < 300);
  assert.deepEqual(
    [a, b, c].map((server) => server?.clientQueries.length),
    [1, 1, 1],
  );
});

for (const mode of ['strict', 'fastest', 'parallel'] as const) {
  test(`${mode}: an upstream that dies causes one hedge delay, and then none`, async (t) => {
    const [a, b] = await servers(t, 2);
    const scene = startScene(t, { upstreams: [a.text, b.text], mode });
    for (let at = 0; at < 5; at += 1) await scene.query(`n${at}.example`);
    a.script = silent;
    const first = await Promise.all(Array.from({ length: 20 }, (_, at) => scene.query(`d${at}.example`)));
    for (const asked of first) assert.ok(asked.failure === '' && asked.tookMs < 500, String(asked.tookMs));
    const before = a.clientQueries.length;
    for (let at = 0; at < 20; at += 1) assert.equal((await scene.query(`e${at}.example`)).upstream, b.text);
    // In a race it does not matter; among equally fast ones all of the first may have gone to the other.
    const more = { strict: 0, fastest: 1, parallel: 20 }[mode];
    assert.ok(a.clientQueries.length - before <= more, 'no question waits for the dead one any more');
  });

  test(`${mode}: a refused port causes no delay`, async (t) => {
    const [a, b] = await servers(t, 2);
    const scene = startScene(t, { upstreams: [a.text, b.text], mode });
    await a.stopUdp();
    for (let at = 0; at < 5; at += 1) {
      const asked = await scene.query(`n${at}.example`);
      assert.ok(asked.upstream === b.text && asked.tookMs < 190, String(asked.tookMs));
    }
  });

  test(`${mode}: after an error of one upstream the next is queried`, async (t) => {
    const [a, b] = await servers(t, 2);
    a.script = failing;
    const scene = startScene(t, { upstreams: [a.text, b.text], mode });
    const asked = await scene.query('www.example');
    assert.deepEqual([asked.rcode, asked.upstream], [Rcode.noError, b.text]);
    b.script = (query) => [errorOf(query, Rcode.refused)];
    const last = await scene.query('other.example');
    assert.equal(last.failure, '');
    assert.ok(last.rcode === Rcode.refused || last.rcode === Rcode.servFail, 'the last error is passed on');
  });
}

test('an upstream that recovers is used again, and both changes are logged', async (t) => {
  const [a, b] = await servers(t, 2);
  const scene = startScene(t, { upstreams: [a.text, b.text], mode: 'strict' });
  await scene.query('a.example');
  a.script = silent;
  await scene.query('b.example');
  assert.equal(scene.forwarder.status()[0]?.state, 'suspected');
  scene.pass(2500);
  assert.equal(scene.forwarder.status()[0]?.state, 'down');
  assert.match(scene.notices.at(-1) ?? '', new RegExp(`${a.text} does not answer.+Check`));
  a.script = good;
  scene.pass(10_000);
  await scene.until('healthy again', () => scene.forwarder.status()[0]?.state === 'healthy');
  assert.equal((await scene.query('c.example')).upstream, a.text);
  await scene.until('the notice', () => /answers again/.test(scene.notices.at(-1) ?? ''));
  assert.equal(scene.notices.length, 2);
});

test('an upstream that flaps is logged once a minute', async (t) => {
  const [a, b] = await servers(t, 2);
  const scene = startScene(t, { upstreams: [a.text, b.text], mode: 'strict' });
  const comeAndGo = async (): Promise<void> => {
    a.script = silent;
    await scene.query('a.example');
    scene.pass(2500);
    assert.equal(scene.forwarder.status()[0]?.state, 'down');
    a.script = good;
    scene.pass(10_000);
    await scene.until('healthy again', () => scene.forwarder.status()[0]?.state === 'healthy');
    await scene.query('b.example');
    scene.pass(100);
  };
  for (let round = 0; round < 3; round += 1) await comeAndGo();
  assert.equal(scene.notices.length, 2, 'gone and back');
  scene.pass(60_000);
  await comeAndGo();
  assert.equal(scene.notices.length, 4);
});

test('a dead upstream gets no questions, only probes with growing pauses', async (t) => {
  const [a, b] = await servers(t, 2);
  a.script = silent;
  const scene = startScene(t, { upstreams: [a.text, b.text], mode: 'strict' });
  await scene.query('first.example');
  await scene.until('a probe', () => a.queries.some(({ name }) => name === '.'));
  const clients = a.clientQueries.length;
  for (let at = 0; at < 10; at += 1) await scene.query(`n${at}.example`);
  assert.equal(a.clientQueries.length, clients);
  const probes = a.queries.length;
  for (let second = 0; second < 60; second += 1) scene.pass(1000);
  const more = a.queries.length - probes;
  assert.ok(more <= 40, `${more} datagrams in a minute`);
});

test('one slow question does not make an answering upstream suspect', async (t) => {
  const [a, b] = await servers(t, 2);
  a.script = (query) => (query.name === 'slow.example' ? [] : good(query));
  const scene = startScene(t, { upstreams: [a.text, b.text], mode: 'strict' });
  await scene.query('warm.example');
  const slow = scene.query('slow.example');
  for (let at = 0; at < 10; at += 1) assert.equal((await scene.query(`n${at}.example`)).upstream, a.text);
  const asked = await slow;
  assert.ok(asked.upstream === b.text && asked.tookMs >= 45, 'it was hedged');
});

test('fallback servers are queried only when the main ones fail', async (t) => {
  const [a, b, spare] = await servers(t, 3);
  assert.ok(spare);
  const scene = startScene(t, { upstreams: [a.text, b.text], fallback: [spare.text], mode: 'strict' });
  await scene.query('a.example');
  assert.equal(spare.clientQueries.length, 0);
  await Promise.all([a.stopUdp(), b.stopUdp()]);
  const asked = await scene.query('b.example');
  assert.equal(asked.upstream, spare.text);
  a.script = failing;
  await a.startUdp();
  scene.pass(10_000);
  await scene.until('the first is back', () => scene.forwarder.status()[0]?.state === 'healthy');
  assert.equal(
    (await scene.query('c.example')).upstream,
    spare.text,
    'errors of the server count as failures',
  );
  a.script = good;
  assert.equal((await scene.query('d.example')).upstream, a.text);
});

test('a single main upstream that falls silent causes one delay before the fallback', async (t) => {
  const [a, spare] = await servers(t, 2);
  const scene = startScene(t, { upstreams: [a.text], fallback: [spare.text] });
  await scene.query('a.example');
  a.script = silent;
  const first = await scene.query('b.example');
  assert.ok(first.upstream === spare.text && first.tookMs < 1000, String(first.tookMs));
  assert.equal((await scene.query('c.example')).upstream, spare.text);
  assert.ok(
    !a.clientQueries.some(({ name }) => name === 'c.example'),
    'at once, without asking the silent one',
  );
});

test('a slow question is not sent to the fallback', async (t) => {
  const [a, spare] = await servers(t, 2);
  const scene = startScene(t, { upstreams: [a.text], fallback: [spare.text] });
  await scene.query('a.example');
  a.delayMs = 250;
  assert.equal((await scene.query('b.example')).upstream, a.text);
  assert.equal(spare.clientQueries.length, 0);
});

test('a DNSSEC failure is final and no other upstream is queried', async (t) => {
  const [a, b] = await servers(t, 2);
  // An OPT record with the extended error 6, DNSSEC bogus (RFC 8914).
  const opt = [0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 6, 0, 15, 0, 2, 0, 6];
  a.script = (query) => {
    const reply = Uint8Array.from([...errorOf(query, Rcode.servFail), ...opt]);
    reply[11] = 1;
    return [reply];
  };
  const scene = startScene(t, { upstreams: [a.text, b.text], mode: 'strict' });
  const asked = await scene.query('bogus.example');
  assert.deepEqual([asked.rcode, asked.upstream, b.clientQueries.length], [Rcode.servFail, a.text, 0]);
});

test('an error is passed on when all others are silent, without waiting for the deadline', async (t) => {
  const [a, b] = await servers(t, 2);
  a.script = failing;
  b.script = silent;
  const scene = startScene(t, { upstreams: [a.text, b.text], mode: 'strict' });
  const asked = await scene.query('www.example');
  assert.deepEqual([asked.failure, asked.rcode, asked.upstream], ['', Rcode.servFail, a.text]);
  assert.ok(asked.tookMs >= 190 && asked.tookMs < 2000, String(asked.tookMs));
});

test('only the first 31 upstreams are used, and that is logged', async (t) => {
  const [a] = await servers(t, 2);
  const many = Array.from({ length: 31 }, (_, at) => `tcp://127.0.0.1:${at + 1}`);
  const scene = startScene(t, { upstreams: [...many, a.text], mode: 'strict' });
  assert.equal((await scene.query('www.example')).failure, 'unreachable');
  assert.match(scene.notices[0] ?? '', /Of 32 upstreams the first 31/);
  scene.set({ upstreams: [...many.slice(1), a.text] });
  assert.equal((await scene.query('www.example')).upstream, a.text);
});

test('an upstream that only returns errors is queried last', async (t) => {
  const [a, b] = await servers(t, 2);
  a.script = failing;
  const scene = startScene(t, { upstreams: [a.text, b.text], mode: 'strict' });
  for (let at = 0; at < 12; at += 1) assert.equal((await scene.query(`n${at}.example`)).upstream, b.text);
  assert.ok(a.clientQueries.length < 12, String(a.clientQueries.length));
  a.script = good;
  scene.pass(1000);
  await scene.until('it is well again', () => scene.forwarder.status()[0]?.state === 'healthy');
});

test('a question in flight keeps its upstreams when options remove them', async (t) => {
  const [a, b, c] = await servers(t, 3);
  a.script = silent;
  const scene = startScene(t, { upstreams: [a.text, b.text], mode: 'strict' });
  const open = scene.query('x.example');
  scene.set({ upstreams: [c?.text ?? ''] });
  const { failure, upstream } = await open;
  assert.deepEqual([failure, upstream], ['', b.text]);
});

test('upstreams that remain keep their state when options change', async (t) => {
  const [a, b, c] = await servers(t, 3);
  assert.ok(c);
  a.delayMs = 60;
  const scene = startScene(t, { upstreams: [a.text, b.text], mode: 'strict' });
  await scene.query('x.example');
  const rttMs = scene.forwarder.status().find(({ text }) => text === a.text)?.rttMs ?? -1;
  const open = scene.query('y.example');
  scene.set({ upstreams: [c.text, a.text], mode: 'strict' });
  assert.equal((await scene.query('z.example')).upstream, c.text);
  assert.deepEqual([(await open).failure, (await open).upstream], ['', a.text]);
  const kept = scene.forwarder.status().find(({ text }) => text === a.text);
  assert.ok(kept !== undefined && kept.rttMs > 30 && rttMs > 30);
  assert.equal(kept.index, 0, 'and their number');
  assert.deepEqual(
    [0, 1, 2].map((at) => scene.forwarder.upstreamText(at)),
    [a.text, b.text, c.text],
  );
  scene.set({ upstreams: [b.text] });
  await scene.query('w.example');
  assert.equal(scene.forwarder.status()[0]?.index, 1, 'a number means the same for ever');
});
