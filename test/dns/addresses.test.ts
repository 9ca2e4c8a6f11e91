// Listening on all local addresses: each address sends its own answers, new ones answer soon, removed ones
// are closed without a message, and one that does not exist does not prevent the others from answering.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';

import type { Service } from '../running/boot.ts';
import { noNamespace } from '../running/namespace.ts';
import { runCommand } from '../running/program.ts';
import { until } from '../running/waiting.ts';
import { runQuery, runTool } from './support/clients.ts';
import { openNetwork, type Network } from './support/network.ts';
import { codeOf, startProbe, type Probe } from './support/probe.ts';
import { bootDns } from './support/service.ts';

const port = 53;
const addresses = ['192.168.77.1/24', '192.168.77.2/24', '10.7.0.1/32', 'fd77::1/64', 'fd77::2/64'];
const bare = (address: string): string => address.replace(/\/\d+$/u, '');
const others = ['127.0.0.1', '::1', ...addresses.map(bare)];
/** The service retries an address that could not be opened every 10 s. */
const soonMs = 60_000;
const maxQueries = 3;

type Scene = { readonly network: Network; readonly service: Service; readonly probe: Probe };

const open = async (t: TestContext, env: Readonly<Record<string, string>>): Promise<Scene> => {
  const network = await openNetwork(t, addresses);
  const service = await bootDns(t, {
    wrap: network.wrap,
    env: { SLUICE_DNS_HOSTS: '192.0.2.7 nas.lan', SLUICE_DNS_WORKERS: '2', ...env },
  });
  return { network, service, probe: startProbe(t, network.wrap) };
};

/** The source address of the reply; each query comes from a new client port. */
const answeringAddress = async (
  { probe }: Scene,
  to: string,
  maxMs?: number,
): Promise<string | undefined> => {
  const from = to.includes(':') ? '::' : '0.0.0.0';
  const [got = {}] = await probe.send({ from, to, port, name: 'nas.lan', ...(maxMs && { maxMs }) });
  return codeOf(got) === 0 && got.fromPort === port ? got.from : undefined;
};

/** The same with retries, as clients do: a thread that is replaced loses the queries it has read. */
const answeredFrom = async (scene: Scene, to: string): Promise<string | undefined> => {
  for (let count = 1; count < maxQueries; count++) {
    const from = await answeringAddress(scene, to);
    if (from !== undefined) return from;
  }
  return answeringAddress(scene, to);
};

const assertEachAnswers = async (scene: Scene, rounds: number): Promise<void> => {
  for (let round = 0; round < rounds; round++)
    for (const address of others) assert.equal(await answeredFrom(scene, address), address);
};

/** dig accepts no reply from another address. */
const assertDigIsAnswered = async ({ network: { wrap } }: Scene): Promise<void> => {
  for (const address of others)
    for (const option of ['+notcp', '+tcp']) {
      const type = address.includes(':') ? 'AAAA' : 'A';
      const server = { address, port, wrap, options: [option] };
      const { answer } = await runQuery('dig', server, `sluice.internal ${type}`);
      assert.deepEqual(answer, [`sluice.internal. 60 IN ${type} ${address}`]);
    }
};

/** Warnings about sockets, without those about the unreachable upstream and late threads. */
const complaints = (service: Service): readonly string[] =>
  service
    .log()
    .split('\n')
    .filter(
      (line) => / (?:warn|error) +(?:main|dns)/u.test(line) && !/: The (?:upstream|thread) /u.test(line),
    );

/** Whether there is a UDP socket of DNS for the address. */
const isOpen = async ({ network }: Scene, address: string): Promise<boolean> =>
  (await runTool(network.wrap, 'ss', ['-lunH'])).includes(` ${address}:${port} `);

const comeAndGo = async (scene: Scene): Promise<void> => {
  const { network, service } = scene;
  const come = ['192.168.88.1/24', 'fd88::1/64'];
  for (const address of come) await network.add(address);
  for (const address of come.map(bare))
    await until(`${address} is answered`, () => answeringAddress(scene, address, 1_000), soonMs);
  for (const address of come) await network.remove(address);
  await until(
    'The socket is closed',
    async () => ((await isOpen(scene, '192.168.88.1')) ? undefined : true),
    soonMs,
  );
  await assertEachAnswers(scene, 1);
  assert.deepEqual(complaints(service), [], service.log());
};

describe('addresses', { concurrency: true, skip: noNamespace }, () => {
  for (const udp of ['batched', 'plain'] as const)
    test(`of dns.listen = * with dns.udp = ${udp} send their own answers, also new ones`, async (t) => {
      const scene = await open(t, { SLUICE_DNS_LISTEN: `*:${port}`, SLUICE_DNS_UDP: udp });
      await assertEachAnswers(scene, 4);
      await assertDigIsAnswered(scene);
      await comeAndGo(scene);
    });

  test('that do not exist are reported, and opened when they exist', async (t) => {
    const listen = `192.168.77.1:${port},203.0.113.77:${port},[fd77::1]:${port}`;
    const scene = await open(t, { SLUICE_DNS_LISTEN: listen });
    const { network, service } = scene;
    assert.equal(await answeredFrom(scene, '192.168.77.1'), '192.168.77.1');
    assert.equal(await answeredFrom(scene, 'fd77::1'), 'fd77::1');
    const message = /cannot listen on 203\.0\.113\.77:53 \(UDP and TCP\): no interface has this address/u;
    await service.logged(message);
    const { out } = await runCommand(['status'], { dir: service.dir });
    assert.match(out, message);
    assert.match(out, /dns\.listen 192\.168\.77\.1 port 53\n/u);
    await network.add('203.0.113.77/32');
    await until('The address is opened later', () => answeringAddress(scene, '203.0.113.77', 1_000), soonMs);
    await until('The status has no problem any more', async () => {
      const now = await runCommand(['status'], { dir: service.dir });
      return message.test(now.out) ? undefined : true;
    });
  });
});
