// An export that fails midway, over real connections: the client recognises that it is incomplete, over
// HTTP/1.1 by the missing last chunk and over HTTP/2 by a stream error.

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
/** The export fails after this number of pages. */
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
  ownDomains: [],
  phase: () => 'open',
  httpsPort: () => undefined,
});
const app = await createApp({
  table: { exportQueries: endpoints.exportQueries },
  handlers: createExportHandlers({
    history: { query: (...asked) => history.query(...asked) },
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
  // The servers of the service also pass both kinds to the framework.
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

/** Answers the first pages from the store, and the others by `then`. */
function cutAfter(then: HistoryReader['query'] | undefined): HistoryReader {
  let pages = 0;
  return {
    query: (...asked) =>
      then !== undefined && pages++ >= pagesBefore ? then(...asked) : scene.inPlace.query(...asked),
  };
}

const cuts: readonly (readonly [title: string, then: HistoryReader['query']])[] = [
  ['the history thread dies', () => Promise.resolve({ ok: false, problem: 'The history was interrupted.' })],
  [
    'a page times out before any row was found',
    async (name, question, options) => {
      const answer = await scene.inPlace.query(name, question, options);
      assert.ok(answer.ok);
      // The question asks for a page; this page is empty and continues where it began.
      const { after: next } = question as { readonly after?: number };
      // The answer to a question for a page.
      const page = { ...(answer.value as QuestionResult<'page'>), rows: [], isCut: true, next };
      return { ok: true, value: page };
    },
  ],
];

/** Everything that is received until the connection ends. */
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

/** The number of lines over HTTP/2, and the code with which the stream ended. */
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
  test('ends with the last chunk when it is complete', async () => {
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
    test(`is aborted without the last chunk when ${title}`, async () => {
      const failLater = (): void => void (history = cutAfter(then));
      failLater();
      const raw = await rawReply();
      assert.match(raw, /^HTTP\/1\.1 200 /u);
      assert.ok(raw.includes(`"id":${scene.rows.length},`), 'the first part was sent');
      assert.ok(!raw.endsWith('0\r\n\r\n'), raw.slice(-100));
      failLater();
      await assert.rejects(fetched(), TypeError);
      failLater();
      const { lines, code } = await overHttp2();
      assert.ok(lines < scene.rows.length);
      assert.equal(code, constants.NGHTTP2_INTERNAL_ERROR);
      assert.equal(bugs.splice(0).filter((bug) => bug.includes('The export was cut off')).length, 3);
    });
});
