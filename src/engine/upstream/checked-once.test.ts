// Each reply of an upstream is checked once, from the socket to the cache: also a reply that is kept while
// another upstream or TCP is tried. The type CleanReply says so; this counts it, on real sockets.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { MessageCheck, nameToText, Rcode, rcodeOf, readName } from '#wire';
import { type Scene, startScene, startServer } from '#testing/engine/scene';
import { answer, errorOf, patched, type Script, truncated } from '#testing/engine/server';
import { Engine } from '../engine.ts';
import { countersBytes, readCounters } from '../record/counters.ts';
import { makeRecordRing } from '../record/record-ring.ts';
import { makeQuery } from '#testing/engine/messages';
import { SentQuery, usualOptions } from '#testing/engine/network';
import { TablePolicy } from '#testing/engine/table-policy';

const asked = 'www.example';
const good: Script = (query) => [answer(query)];
const refuses: Script = (query) => [errorOf(query, Rcode.servFail)];
/** The owner of the one answer is a pointer to the second label of the question. */
const foreign: Script = (query) => {
  const whole = answer(query);
  return [patched(whole, { [whole.length - 15]: 13 + (whole[12] ?? 0) })];
};
const cut: Script = (query) => (query.via === 'udp' ? [truncated(query)] : [answer(query)]);

interface Row {
  readonly title: string;
  readonly scripts: readonly Script[];
  readonly hasTcp?: boolean;
  readonly replies: number;
  readonly rcode: number;
  readonly foreignRecords?: number;
}

const rows: readonly Row[] = [
  { title: 'a good reply', scripts: [good], replies: 1, rcode: Rcode.noError },
  { title: 'an error, and the next upstream', scripts: [refuses, good], replies: 2, rcode: Rcode.noError },
  { title: 'an error that is all there is', scripts: [refuses], replies: 1, rcode: Rcode.servFail },
  { title: 'a truncated reply, and TCP', scripts: [cut], replies: 2, rcode: Rcode.noError },
  {
    title: 'a truncated reply, without TCP',
    scripts: [cut],
    hasTcp: false,
    replies: 1,
    rcode: Rcode.noError,
  },
  {
    title: 'a reply to another question, and the next upstream',
    scripts: [foreign, good],
    replies: 2,
    rcode: Rcode.noError,
    foreignRecords: 1,
  },
];

function startEngine(scene: Scene, counters: SharedArrayBuffer): Engine {
  return new Engine(usualOptions, {
    policy: new TablePolicy(),
    forwarder: scene.forwarder,
    outgoing: scene.outgoing,
    cacheBytes: 1 << 16,
    hashSeed: 1,
    records: makeRecordRing(1 << 12),
    counters,
    nowMs: () => scene.nowMs(),
    wallMs: () => scene.nowMs(),
    onBusy: () => undefined,
  });
}

/** Counts the checks of replies to the question; those of probes have other names. */
function countChecks(t: TestContext): () => number {
  let count = 0;
  const isSound = Reflect.get(MessageCheck.prototype, 'isSound');
  t.mock.method(
    MessageCheck.prototype,
    'isSound',
    function counted(this: MessageCheck, bytes: Uint8Array, start: number, length: number): boolean {
      const name = new Uint8Array(256);
      readName(bytes, start, start + 12, start + length, name);
      if (nameToText(name) === asked) count += 1;
      return isSound.call(this, bytes, start, length);
    },
  );
  return () => count;
}

for (const { title, scripts, hasTcp = true, replies, rcode, foreignRecords = 0 } of rows)
  test(`${title}: ${replies} replies are checked once each`, async (t) => {
    const servers = await Promise.all(scripts.map((script) => startServer(t, script)));
    if (!hasTcp) for (const server of servers) await server.stopTcp();
    const scene = startScene(t, { upstreams: servers.map(({ text }) => text), mode: 'strict' });
    const counters = new SharedArrayBuffer(countersBytes);
    const engine = startEngine(scene, counters);
    const checks = countChecks(t);
    const ask = new SentQuery('udp', '192.168.1.10', '192.168.1.2');
    const { bytes } = makeQuery([asked, 'A']);
    engine.beginBatch();
    engine.answer(ask, bytes, 0, bytes.length, new Uint8Array(1232), 0, 1232);
    engine.endBatch();
    await scene.until('answered', () => ask.answer !== undefined);
    assert.equal(rcodeOf(ask.answer ?? bytes, 0), rcode);
    assert.equal(servers.flatMap(({ clientQueries }) => clientQueries).length, replies);
    assert.equal(checks(), replies);
    assert.equal(readCounters([counters]).foreignRecords, foreignRecords);
  });
