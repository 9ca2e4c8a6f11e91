// The programs that Sluice is compared with, each on a loopback port with the same names: the C floor, and
// dnsmasq and unbound from Debian packages. The floor is also the upstream of all of them.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { run } from '../../tools/run.ts';
import { cpuSeconds } from '../process-figures.ts';
import { freePort, stop } from '../service.ts';
import { newFolder } from '../workshop.ts';
import { firstAnswer } from './question.ts';

export type Peer = {
  readonly pid: number;
  readonly port: number;
  readonly cpuSeconds: () => number;
  readonly stop: () => Promise<void>;
};

const SOURCE = join(import.meta.dirname, '..', 'floor.c');
const START_MS = 500;

/** The Debian packages that are missing. */
export async function missingPackages(): Promise<readonly string[]> {
  const wanted = { cc: 'gcc', dnsperf: 'dnsperf', dnsmasq: 'dnsmasq-base', unbound: 'unbound' };
  const found = await Promise.all(
    Object.entries(wanted).map(async ([program, name]) => {
      const { isOk } = await run('sh', ['-c', `PATH=$PATH:/usr/sbin command -v ${program}`]);
      return isOk ? [] : [name];
    }),
  );
  return found.flat();
}

/** With an address and a TTL it is a stub upstream that is never the bottleneck. */
export async function startFloor(ttlSeconds: number): Promise<Peer> {
  const program = join(newFolder('floor'), 'floor');
  const { isOk, output } = await run('cc', ['-O2', '-Wall', '-Wextra', '-Werror', '-o', program, SOURCE]);
  if (!isOk) throw new Error(`floor.c does not compile:\n${output}`);
  const child = spawn(program, ['0', '192.0.2.1', String(ttlSeconds)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = await once(child.stdout, 'data');
  return peer(Number(String(port).trim()), child);
}

/** `hostsFile` has local names; the server loads them before it answers. */
export async function startDnsmasq(upstreamPort: number, hostsFile?: string): Promise<Peer> {
  const port = await freePort();
  const child = spawn(
    '/usr/sbin/dnsmasq',
    [
      '--no-daemon',
      '--conf-file=/dev/null',
      '--no-resolv',
      '--no-hosts',
      '--user=root',
      '--bind-interfaces',
      '--listen-address=127.0.0.1',
      `--port=${port}`,
      `--server=127.0.0.1#${upstreamPort}`,
      '--cache-size=10000',
      '--pid-file=',
      ...(hostsFile === undefined ? [] : [`--addn-hosts=${hostsFile}`, '--local-ttl=2']),
    ],
    { stdio: 'ignore' },
  );
  await (hostsFile === undefined ? sleep(START_MS) : firstAnswer(port));
  return peer(port, child);
}

export async function startUnbound(upstreamPort: number): Promise<Peer> {
  const port = await freePort();
  const folder = newFolder('unbound');
  const config = join(folder, 'unbound.conf');
  writeFileSync(config, unboundConfig(port, upstreamPort, folder));
  const child = spawn('/usr/sbin/unbound', ['-d', '-c', config], { stdio: 'ignore' });
  await sleep(START_MS);
  return peer(port, child);
}

function unboundConfig(port: number, upstreamPort: number, folder: string): string {
  return `server:
  interface: 127.0.0.1
  port: ${port}
  do-daemonize: no
  num-threads: 1
  chroot: ""
  username: ""
  directory: "${folder}"
  pidfile: "${folder}/unbound.pid"
  use-syslog: no
  access-control: 127.0.0.0/8 allow
  do-not-query-localhost: no
  module-config: "iterator"
  msg-cache-size: 64m
  rrset-cache-size: 64m
  so-rcvbuf: 4m
  so-sndbuf: 4m
forward-zone:
  name: "."
  forward-addr: 127.0.0.1@${upstreamPort}
remote-control:
  control-enable: no
`;
}

function peer(port: number, child: ReturnType<typeof spawn>): Peer {
  const pid = child.pid ?? 0;
  if (child.exitCode !== null)
    throw new Error(`${child.spawnargs.join(' ')} has ended: start it manually to see why.`);
  return { pid, port, cpuSeconds: () => cpuSeconds(pid), stop: () => stop(child) };
}
