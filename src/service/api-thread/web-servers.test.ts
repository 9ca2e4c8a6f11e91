import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { WebServers } from './web-servers.ts';

test('a request before the service is ready gets 503 with the error', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-web-servers-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'control.sock');
  const servers = new WebServers({
    libc: undefined,
    material: async () => undefined,
    admit: () => true,
    onAttached: () => undefined,
  });
  t.after(() => {
    servers.drain();
    servers.end();
  });
  await servers.serveControl({ kind: 'unix', fd: undefined, path, backlog: 1 });
  // The first argument of this event is the reply.
  const [reply] = (await once(get({ socketPath: path, path: '/api/health', agent: false }), 'response')) as [
    IncomingMessage,
  ];
  let text = '';
  for await (const chunk of reply.setEncoding('utf8')) text += String(chunk);
  assert.equal(reply.statusCode, 503);
  assert.deepEqual(JSON.parse(text), {
    error: {
      key: 'unavailable',
      message: 'The service is not available',
      hint: 'The service is starting.',
    },
    took: 0,
  });
});
