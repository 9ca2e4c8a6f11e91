// An export that cannot go on, over real connections: whoever reads it notices that it is not all, over
// HTTP/1.1 by the missing last chunk and over HTTP/2 by an error of the stream.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect as connectHttp2, constants, createServer as createHttp2Server } from 'node:http2';
import { connect, type AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { endpoints } from '#contract';
import { steadyClockMs } from '#platform/time';
import type { HistoryReader, QuestionResult } from '#history/thread';
import { createApp } from '../http/app.ts';
import { createGate } from '../http/gate.ts';
import { createExportHandlers } from './query-export.ts';
import { historyScene, nowMs } from '#testing/api/history-scene';

const scene = historyScene();
/** After so many pages of the export something happens. */
const pagesBefore = 2;
let history: HistoryReader;
const bugs: string[] = [];

const gate = createGate({
  web: {
    http: '',
    https: '',
    redirect: false,
    basePath: '',
    certFile: '',
    keyFile: '',
    trustedProxies: [],
    hosts: [],
    origins: [],
  },
  ownNames: [],
  phase: () => 'open',
  httpsPort: () => undefined,
});
const app = await createApp({
  table: { exportQueries: endpoints.exportQueries },
  handlers: createExportHandlers({
    history: { ask: (...asked) => history.ask(...asked) },
    nowMs: () => nowMs,
    privacyLevel: () => 0,
    membersOf: assert.fail,
  }),
  gate: () => gate,
  authenticator: { identify: () => ({ kind: 'anyone' }), touch: () => undefined },
  isControlSocket: () => false,
  nowMs: steadyClockMs,
  reportBug: (error) => String(bugs.push(String(error))),
});
const plain = createServer(app.handle);
const second = createHttp2Server((request, response) => {
  // The framework is given both kinds, as by the servers of the service.
  app.handle(request as never, response as never);
});
const portOf = (server: { address(): unknown }): number =>
  // A server that listens on an address has a port.
  (server.address() as AddressInfo).port;

before(async () => {
  for (const server of [plain, second]) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
});
after(() => {
  plain.closeAllConnections();
  for (const server of [plain, second]) server.close();
});

/** Answers pages from the store until `then` takes over. */
function cutAfter(then: HistoryReader['ask'] | undefined): HistoryReader {
  let pages = 0;
  return {
    ask: (...asked) =>
      then !== undefined && pages++ >= pagesBefore ? then(...asked) : scene.inPlace.ask(...asked),
  };
}

const cuts: readonly (readonly [title: string, then: HistoryReader['ask']])[] = [
  [
    'the thread of the history dies for good',
    () => Promise.resolve({ ok: false, problem: 'The history was interrupted.' }),
  ],
  [
    'its time is up before anything was found',
    async (name, question, options) => {
      const answer = await scene.inPlace.ask(name, question, options);
      assert.ok(answer.ok);
      // A page is asked for; this one has nothing, and begins again where it began.
      const { after: next } = question as { readonly after?: number };
      // The answer to that question.
      const page = { ...(answer.value as QuestionResult<'page'>), rows: [], isCut: true, next };
      return { ok: true, value: page };
    },
  ],
];

/** Everything that comes until the connection ends. */
async function rawReply(): Promise<string> {
  const socket = connect(portOf(plain), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    'GET /api/queries/export?format=jsonl HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
  );
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  await once(socket, 'close');
  return Buffer.concat(parts).toString();
}

async function fetched(): Promise<string> {
  return (await fetch(`http://127.0.0.1:${portOf(plain)}/api/queries/export?format=jsonl`)).text();
}

/** What a client of HTTP/2 gets, and the code that its stream ended with. */
async function overHttp2(): Promise<{ readonly lines: number; readonly code: number | undefined }> {
  const client = connectHttp2(`http://127.0.0.1:${portOf(second)}`);
  const stream = client.request({ ':path': '/api/queries/export?format=jsonl' });
  let text = '';
  stream.setEncoding('utf8').on('data', (part: string) => (text += part));
  stream.on('error', () => undefined);
  await new Promise((resolve) => stream.once('close', resolve));
  client.close();
  return { lines: text.split('\n').length - 1, code: stream.rstCode };
}

describe('an export', () => {
  test('that is complete ends the reply properly', async () => {
    history = cutAfter(undefined);
    const raw = await rawReply();
    assert.match(raw, /^HTTP\/1\.1 200 /u);
    assert.match(raw, /\r\ntransfer-encoding: chunked\r\n/iu);
    assert.ok(raw.endsWith('\r\n0\r\n\r\n'));
    assert.equal((await fetched()).split('\n').length - 1, scene.rows.length);
    assert.deepEqual(await overHttp2(), { lines: scene.rows.length, code: constants.NGHTTP2_NO_ERROR });
    assert.deepEqual(bugs, []);
  });

  for (const [title, then] of cuts)
    test(`that is cut because ${title} ends without the closing chunk`, async () => {
      const meet = (): void => void (history = cutAfter(then));
      meet();
      const raw = await rawReply();
      assert.match(raw, /^HTTP\/1\.1 200 /u);
      assert.ok(raw.includes(`"id":${scene.rows.length},`), 'the first part came');
      assert.ok(!raw.endsWith('0\r\n\r\n'), raw.slice(-100));
      meet();
      await assert.rejects(fetched(), TypeError);
      meet();
      const { lines, code } = await overHttp2();
      assert.ok(lines < scene.rows.length);
      assert.equal(code, constants.NGHTTP2_INTERNAL_ERROR);
      assert.equal(bugs.splice(0).filter((bug) => bug.includes('The export was cut off')).length, 3);
    });
});
