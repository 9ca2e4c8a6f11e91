// The first start on a machine whose local resolver holds port 53 of one loopback address, as
// systemd-resolved does. Port 53 is free on all other addresses and must be used, because clients of a
// network expect DNS there.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';

import { forgettable } from '../running/leftovers.ts';
import { noNamespace } from '../running/namespace.ts';
import { within } from '../running/waiting.ts';
import { runQuery } from './support/clients.ts';
import { openNetwork } from './support/network.ts';
import { bootDns, listeningOf } from './support/service.ts';

const stubResolver = `
require('dgram').createSocket('udp4').bind(53, '127.0.0.53', () =>
  require('net').createServer().listen(53, '127.0.0.53', () => console.log('taken')));
`;

const startStub = async (t: TestContext, wrap: readonly string[]): Promise<void> => {
  const [program, ...args] = [...wrap, process.execPath, '-e', stubResolver];
  const child = forgettable(spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] }));
  t.after(() => child.kill('SIGKILL'));
  await within('The stub listens', 30_000, once(child.stdout, 'data'));
};

test(
  'the first start listens on port 53 of all other addresses while 127.0.0.53 is taken',
  { skip: noNamespace },
  async (t) => {
    const { wrap } = await openNetwork(t, ['192.168.77.1/24']);
    await startStub(t, wrap);
    const service = await bootDns(t, { wrap, env: { SLUICE_DNS_LISTEN: undefined } });
    const ports = (await listeningOf(service)).map(({ port }) => port);
    assert.deepEqual(new Set(ports), new Set([53]), service.out());
    const server = { address: '192.168.77.1', port: 53, wrap };
    assert.equal((await runQuery('dig', server, 'localhost A')).status, 'NOERROR');
  },
);
