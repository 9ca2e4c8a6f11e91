import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { controlClient, ControlError, type Unreachable } from './control.ts';

/** A data folder whose control socket sends these bytes and closes the connection. */
async function folderReplying(t: TestContext, bytes: string): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-cli-'));
  const server: Server = createServer((socket) =>
    socket.once('data', () => socket.end(bytes)).on('error', () => undefined),
  );
  server.listen(join(dir, 'control.sock'));
  await once(server, 'listening');
  t.after(() => {
    server.close();
    rmSync(dir, { recursive: true });
  });
  return dir;
}

function isUnreachable(reason: Unreachable['unreachable']) {
  return (error: unknown) => error instanceof ControlError && error.reason.unreachable === reason;
}

describe('the control client', () => {
  it('reads a reply', async (t) => {
    const body = '{"blocking":true,"timer":null}';
    const dir = await folderReplying(t, `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    const reply = await controlClient(dir)('getBlocking');
    assert.deepEqual(reply, { ok: true, status: 200, body: { blocking: true, timer: null } });
  });

  it('reports a reply that ends too early', async (t) => {
    const dir = await folderReplying(t, 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"blocking":');
    await assert.rejects(controlClient(dir)('getBlocking'), isUnreachable('no answer'));
  });

  it('reports a peer that is not Sluice as a failure', async (t) => {
    const dir = await folderReplying(t, 'HTTP/1.1 502 Bad Gateway\r\ncontent-length: 2\r\n\r\nno');
    const reply = await controlClient(dir)('getBlocking');
    assert.deepEqual([reply.ok, reply.status], [false, 502]);
  });

  it('reports that no service runs if there is no socket', async () => {
    const call = controlClient(join(tmpdir(), 'sluice-no-such-folder'));
    await assert.rejects(call('getBlocking'), isUnreachable('not running'));
  });
});
