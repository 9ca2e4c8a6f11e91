// The signal that the client has disconnected: aborted on a disconnect, and never after a complete reply.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { goneSignal } from './raw-request.ts';

const waitMs = 30_000;

for (const [title, leaves] of [
  ['goneSignal is aborted when the client disconnects', true],
  ['goneSignal is not aborted after a complete reply', false],
] as const)
  test(title, async (context) => {
    const met = Promise.withResolvers<AbortSignal>();
    const server = createServer((_, response) => {
      met.resolve(goneSignal(response));
      if (!leaves) response.end('{}');
    }).listen(0, '127.0.0.1');
    context.after(() => server.closeAllConnections());
    context.after(() => server.close());
    await once(server, 'listening');
    // A server that listens by address has a port.
    const { port } = server.address() as AddressInfo;
    const request = get({ port, host: '127.0.0.1', agent: false });
    request.on('error', () => undefined);
    const signal = await met.promise;
    if (leaves) {
      const aborted = once(signal, 'abort', { signal: AbortSignal.timeout(waitMs) });
      request.destroy();
      await aborted;
    } else {
      const [response] = await once(request, 'response');
      response.resume();
      await once(response, 'close');
    }
    assert.equal(signal.aborted, leaves);
  });
