// Replies leave from the address that was asked, where all addresses are listened on: each of them is asked
// one query at a time by a socket that takes no other sender. IPv6 with a link-local address needs a network
// of its own, so this file runs itself once more in a network namespace; without root only loopback is asked.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import test, { type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ipBytes } from '#wire';
import { parseListenAddresses } from '#contract';
import { type Answerer, type QuerySource, makeBlackBox, Outgoing, UdpListener } from '#engine';
import { keepPort, loadDatagrams } from './datagrams.ts';
import { type DnsListening, type DnsSocket, DnsSockets, loadLibc } from '#platform/sockets';

const libc = loadLibc();
const isInside = process.env['SLUICE_TEST_INSIDE'] === '1';
const network =
  'ip link set lo up && ip link add v0 type veth peer name v1 && ' +
  'ip addr add 192.0.2.1/24 dev v0 && ip addr add 2001:db8::1/64 dev v0 nodad && ' +
  'ip -6 addr add fe80::53/64 dev v0 nodad && ip link set v0 up && ip link set v1 up';
const canUnshare = spawnSync('unshare', ['-n', 'sh', '-c', network]).status === 0;

/** Answers with the local address that received the query. */
const localAddressAnswerer: Answerer = {
  beginBatch: () => undefined,
  endBatch: () => undefined,
  answer(source: QuerySource, _bytes, _start, _length, out, outStart) {
    const text = Buffer.from(source.local.text);
    out.set(text, outStart);
    return text.length;
  },
};

if (isInside || !canUnshare) {
  for (const batches of [true, false]) {
    test(`every local address answers for itself, ${batches ? 'batches' : 'node:dgram'}`, async (context) => {
      const asked = await listenEverywhere(context, batches);
      if (isInside) {
        const wanted = ['127.0.0.1', '192.0.2.1', '2001:db8::1', '::1', 'fe80::53%v0'];
        for (const address of wanted)
          assert.ok(
            asked.some((one) => one.address === address),
            address,
          );
      }
      assert.equal(asked.length, countAddresses());
      for (const { address, port } of asked) assert.equal(await ask(context, address, port), address);
    });
  }
} else {
  test('every local address answers for itself in a network namespace with link-local IPv6', () => {
    const command = `${network} && exec "$0" --test "$1"`;
    const args = ['-n', 'sh', '-c', command, process.execPath, fileURLToPath(import.meta.url)];
    // Without this variable of the test runner, which would make the child a silent part of this run.
    const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
    const env = { ...environment, SLUICE_TEST_INSIDE: '1' };
    const { status, stdout } = spawnSync('unshare', args, { env, timeout: 120_000, encoding: 'utf8' });
    assert.equal(status, 0, stdout);
    assert.match(stdout, /pass 2/u);
  });
}

/** Link-local IPv6 addresses of the interfaces become available after a while, so this rescans for them. */
async function listenEverywhere(context: TestContext, batches: boolean): Promise<readonly DnsSocket[]> {
  const sockets = new DnsSockets({ libc, setting: 'dns.listen' });
  context.after(() => sockets.close());
  const parsed = parseListenAddresses('*:0');
  assert.ok(parsed.ok);
  let listening = await sockets.open(parsed.addresses, 1);
  for (let turn = 0; turn < 100 && udpOf(listening).length < countAddresses(); turn += 1) {
    const { promise, resolve } = Promise.withResolvers<void>();
    setTimeout(resolve, 50);
    await promise;
    listening = (await sockets.rescan()) ?? listening;
  }
  assert.deepEqual(listening.closed, []);
  for (const socket of udpOf(listening)) await serve(context, socket, batches);
  return udpOf(listening);
}

const udpOf = ({ open }: DnsListening): readonly DnsSocket[] =>
  open.filter(({ transport }) => transport === 'udp');

const countAddresses = (): number => Object.values(networkInterfaces()).flat().length;

async function serve(context: TestContext, socket: DnsSocket, batches: boolean): Promise<void> {
  const copy = socket.fds[0] === undefined ? undefined : libc?.dup(socket.fds[0]);
  const listener = await UdpListener.open({
    family: socket.family === 'ipv6' ? 'ipv6' : 'ipv4',
    local: { text: socket.address, bytes: ipBytes(socket.address) ?? new Uint8Array() },
    port: socket.port,
    fd: copy?.ok === true ? copy.value : undefined,
    datagrams: batches ? loadDatagrams(libc) : undefined,
    keepPort: (fd) => keepPort(libc, fd),
    box: makeBlackBox(8),
    answerer: localAddressAnswerer,
    outgoing: new Outgoing(),
    onCulprit: () => assert.fail(),
    onDropped: () => assert.fail(),
    onProblem: (code) => assert.fail(code),
  });
  context.after(() => listener.close());
}

async function ask(context: TestContext, address: string, port: number): Promise<string> {
  const client = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  context.after(() => client.close());
  client.connect(port, address);
  await once(client, 'connect');
  client.send('query');
  const [answer] = await once(client, 'message', { signal: AbortSignal.timeout(20_000) });
  return String(answer);
}
