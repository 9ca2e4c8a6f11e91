// Replies that are not sound, by every way: nothing of them is believed, and the next upstream is asked.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Rcode } from '#wire';
import { startScene, startServer } from '#testing/engine/scene';
import { answer, errorOf, patched, type Script, truncated, type TestQuery } from '#testing/engine/server';

/** An answer whose owner is a pointer to the byte at `offset` of the message. */
const pointing =
  (offset: (recordAt: number) => number): Script =>
  (query) => {
    const sound = answer(query);
    const recordAt = sound.length - 16;
    const target = 0xc000 | offset(recordAt);
    return [patched(sound, { [recordAt]: target >> 8, [recordAt + 1]: target & 0xff })];
  };

/** Where the name of the question goes on behind its first label. */
const secondLabelOf = (query: TestQuery): number => 13 + (answer(query)[12] ?? 0);

/** RFC 6891 section 6.1.3: the OPT record holds the high bits of the response code; here it is BADVERS. */
const badVersion = (query: TestQuery): Uint8Array =>
  Uint8Array.from([...patched(errorOf(query, 0), { 11: 1 }), 0, 0, 41, 4, 208, 1, 0, 0, 0, 0, 0]);

const broken: readonly (readonly [string, Script])[] = [
  ['a pointer to itself', pointing((recordAt) => recordAt)],
  ['a pointer forward', pointing((recordAt) => recordAt + 12)],
  ['a pointer beyond the end', pointing(() => 0x3fff)],
  ['answers to another question only', (query) => pointing(() => secondLabelOf(query))(query)],
  ['a record that is cut off', (query) => [answer(query).slice(0, -1)]],
  ['more records than there are', (query) => [patched(answer(query), { 7: 2 })]],
  ['a response code that is about the hop', (query) => [badVersion(query)]],
  [
    'an address of three bytes',
    (query) => [patched(answer(query).slice(0, -1), { [answer(query).length - 5]: 3 })],
  ],
];

const good: Script = (query) => [answer(query)];

for (const [title, script] of broken)
  test(`a reply with ${title} is retried at the next upstream, and a failure at the last`, async (t) => {
    const [first, second] = [await startServer(t, script), await startServer(t, good)];
    const scene = startScene(t, { upstreams: [first.text, second.text], mode: 'strict' });
    const asked = await scene.query('www.example');
    assert.deepEqual([asked.failure, asked.rcode, asked.upstream], ['', Rcode.noError, second.text]);
    second.script = script;
    const failed = await scene.query('other.example');
    assert.deepEqual([failed.failure, failed.rcode], ['malformed', -1]);
    assert.deepEqual([first.clientQueries.length, second.clientQueries.length], [2, 2]);
  });

test('a malformed truncated reply is retried over TCP, and is not an answer when TCP fails', async (t) => {
  const cut = (query: TestQuery): Uint8Array => patched(truncated(query), { 7: 1 });
  const server = await startServer(t, (query) => (query.via === 'udp' ? [cut(query)] : [answer(query)]));
  const scene = startScene(t, { upstreams: [server.text], mode: 'strict' });
  assert.equal((await scene.query('www.example')).rcode, Rcode.noError);
  await server.stopTcp();
  assert.equal((await scene.query('other.example')).failure, 'unreachable');
});
