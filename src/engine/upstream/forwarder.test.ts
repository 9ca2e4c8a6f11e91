import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { test } from 'node:test';
import { Rcode, Type } from '#wire';
import { startScene, startServer } from '#testing/engine/scene';
import { answer, errorOf, patched, type TestQuery } from '#testing/engine/server';

test('a question goes out by UDP and its answer comes back', async (t) => {
  const server = await startServer(t, (query) => [answer(query)]);
  const scene = startScene(t, { upstreams: [server.text] });
  const asked = await scene.query('www.example.com');
  assert.deepEqual([asked.failure, asked.rcode, asked.upstream], ['', Rcode.noError, server.text]);
  assert.deepEqual([...asked.reply.subarray(-4)], [192, 0, 2, 1]);
  assert.deepEqual(
    server.clientQueries.map(({ name, type, via }) => [name, type, via]),
    [['www.example.com', Type.A, 'udp']],
  );
});

test('ids, source ports and the case of letters differ from question to question', async (t) => {
  const server = await startServer(t, (query) => [answer(query)]);
  const scene = startScene(t, { upstreams: [server.text] });
  for (let count = 0; count < 64; count += 1) await scene.query('abcdefghijklmnopqrstuvwxyz.example');
  const distinct = (value: (query: TestQuery) => unknown): number =>
    new Set(server.clientQueries.map(value)).size;
  assert.equal(server.clientQueries.length, 64);
  assert.ok(distinct(({ bytes }) => (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0)) > 60);
  assert.ok(distinct(({ bytes }) => Buffer.from(bytes.subarray(12, 39)).toString()) > 60);
  assert.ok(distinct(({ sourcePort }) => sourcePort) >= 40);
});

test('without mixedCase questions are sent in lower case', async (t) => {
  const server = await startServer(t, (query) => [answer(query)]);
  const scene = startScene(t, { upstreams: [server.text], mixedCase: false });
  const sent = (): Set<string> =>
    new Set(server.clientQueries.map(({ bytes }) => Buffer.from(bytes.subarray(13, 39)).toString()));
  for (let count = 0; count < 8; count += 1) await scene.query('abcdefghijklmnopqrstuvwxyz.example');
  assert.deepEqual(sent(), new Set(['abcdefghijklmnopqrstuvwxyz']));
  scene.set({ mixedCase: true });
  for (let count = 0; count < 8; count += 1) await scene.query('abcdefghijklmnopqrstuvwxyz.example');
  assert.ok(sent().size > 2, 'the option takes hold while it runs');
});

test('questions of one batch leave on one socket', async (t) => {
  const server = await startServer(t, (query) => [answer(query)]);
  const scene = startScene(t, { upstreams: [server.text] });
  await Promise.all(Array.from({ length: 20 }, (_, at) => scene.query(`n${at}.example`)));
  const { length } = server.clientQueries;
  const question = { class: 1, type: 1, dnssecOk: false, checkingDisabled: false };
  const outcomes: string[] = [];
  for (let at = 0; at < 20; at += 1) {
    const name = Uint8Array.from([2, 97, 97 + at, 0]);
    scene.forwarder.forward(
      { ...question, name },
      { onReply: () => outcomes.push('reply'), onFailure: (failure) => outcomes.push(failure) },
    );
  }
  scene.outgoing.flushAll();
  await scene.until('all answered', () => outcomes.length === 20);
  assert.equal(new Set(server.clientQueries.slice(length).map(({ sourcePort }) => sourcePort)).size, 1);
  assert.ok(outcomes.every((outcome) => outcome === 'reply'));
});

/** A header and nothing else. */
const bare = (query: TestQuery, rcode: number): Uint8Array =>
  patched(errorOf(query, rcode).slice(0, 12), { 5: 0 });

const lies: Record<string, (query: TestQuery, truth: Uint8Array) => Uint8Array> = {
  'a wrong id': (_, truth) => patched(truth, { 0: (truth[0] ?? 0) ^ 1 }),
  'no reply at all': (query) => query.bytes,
  'another opcode': (_, truth) => patched(truth, { 2: 0xa1 }),
  'another name': (_, truth) => patched(truth, { 13: 0x78 }),
  'another type': (query, truth) => patched(truth, { [query.bytes.length - 11 - 3]: 28 }),
  'another class': (query, truth) => patched(truth, { [query.bytes.length - 11 - 1]: 3 }),
  'two questions': (_, truth) => patched(truth, { 5: 2 }),
  'no question': (_, truth) => patched(truth, { 5: 0 }),
  'a piece of a header': (_, truth) => truth.slice(0, 11),
  'a bare NXDOMAIN': (query) => bare(query, Rcode.nxDomain),
  'a bare error with an answer': (query) => patched(bare(query, Rcode.servFail), { 7: 1 }),
  'a single byte': (_, truth) => truth.slice(0, 1),
  nothing: () => new Uint8Array(0),
};

for (const [what, lie] of Object.entries(lies)) {
  test(`a datagram that is ${what} is ignored, and the question stays open`, async (t) => {
    const server = await startServer(t, (query) => {
      return [lie(query, answer(query, '203.0.113.66')), answer(query)];
    });
    const scene = startScene(t, { upstreams: [server.text] });
    const asked = await scene.query('wxyz.example.com');
    assert.deepEqual([asked.failure, [...asked.reply.subarray(-4)]], ['', [192, 0, 2, 1]]);
    assert.equal(server.clientQueries.length, 1, 'and nothing was asked again');
  });
}

test('the right answer from another port is ignored', async (t) => {
  const stranger = createSocket('udp4');
  t.after(() => stranger.close());
  const server = await startServer(t, (query) => {
    if (query.via === 'udp') stranger.send(answer(query, '203.0.113.66'), query.sourcePort, '127.0.0.1');
    return [answer(query)];
  });
  server.delayMs = 30;
  const scene = startScene(t, { upstreams: [server.text] });
  const asked = await scene.query('www.example.com');
  assert.deepEqual([...asked.reply.subarray(-4)], [192, 0, 2, 1]);
});

test('without upstreams a question fails at once', async (t) => {
  const scene = startScene(t, { upstreams: [] });
  const asked = await scene.query('www.example.com');
  assert.deepEqual([asked.failure, asked.lastAsked], ['no upstream', '']);
  assert.ok(asked.tookMs < 1000);
});

test('the number of questions in flight is bounded', async (t) => {
  const server = await startServer(t, (query) => (query.name === 'last.example' ? [answer(query)] : []));
  const scene = startScene(t, { upstreams: [server.text], maxInFlight: 3 });
  const stuck = ['a.example', 'b.example'].map((name) => scene.query(name));
  const third = await scene.query('last.example');
  assert.equal(third.failure, '', 'the third fits');
  const again = [scene.query('c.example'), scene.query('d.example')];
  assert.equal((await again[1])?.failure, 'busy', 'the fourth does not');
  scene.pass(6000);
  const outcomes = await Promise.all([...stuck, again[0]]);
  assert.deepEqual(
    outcomes.map((one) => one?.failure),
    ['timeout', 'timeout', 'timeout'],
  );
  assert.equal((await scene.query('last.example')).failure, '', 'places are free again');
});

test('a lost datagram is sent again', async (t) => {
  let count = 0;
  const server = await startServer(t, (query) => {
    if (query.name === 'lost.example') count += 1;
    return query.name === 'lost.example' && count < 3 ? [] : [answer(query)];
  });
  const scene = startScene(t, { upstreams: [server.text], timeouts: { overallMs: 5000, resendMs: 40 } });
  const asked = await scene.query('lost.example');
  assert.deepEqual([asked.failure, count], ['', 3]);
  const [first, second] = server.clientQueries;
  assert.deepEqual(first?.bytes, second?.bytes, 'the very same, on the same port');
  assert.equal(first?.sourcePort, second?.sourcePort);
});

test('a silent upstream is a timeout, a closed port is unreachable at once', async (t) => {
  const silent = await startServer(t, () => []);
  const scene = startScene(t, { upstreams: [silent.text], timeouts: { overallMs: 150, resendMs: 40 } });
  const asked = await scene.query('www.example.com');
  assert.deepEqual([asked.failure, asked.lastAsked], ['timeout', silent.text]);
  assert.ok(asked.tookMs >= 145 && asked.tookMs < 1000, String(asked.tookMs));
  await silent.stopUdp();
  const refused = await scene.query('www.example.com');
  assert.equal(refused.failure, 'unreachable');
});

test('every rcode of a single upstream is passed on', async (t) => {
  const server = await startServer(t, (query) => [
    errorOf(query, Number(/^r(\d+)/.exec(query.name)?.[1] ?? 0)),
  ]);
  const scene = startScene(t, { upstreams: [server.text] });
  for (let rcode = 0; rcode <= 10; rcode += 1) {
    const asked = await scene.query(`r${rcode}.example`);
    assert.deepEqual([asked.failure, asked.rcode], ['', rcode]);
  }
});

test('a reply without a question section is accepted only when it is a server error', async (t) => {
  const rcodeIn = (name: string): number => Number(/^r(\d+)/.exec(name)?.[1] ?? 0);
  const server = await startServer(t, (query) => [bare(query, rcodeIn(query.name)), answer(query)]);
  const scene = startScene(t, { upstreams: [server.text] });
  const believed: number[] = [];
  for (let rcode = 0; rcode <= 10; rcode += 1) {
    const asked = await scene.query(`r${rcode}.example`);
    if (asked.rcode !== Rcode.noError) believed.push(asked.rcode);
  }
  assert.deepEqual(believed, [Rcode.formErr, Rcode.servFail, Rcode.notImp, Rcode.refused]);
});
