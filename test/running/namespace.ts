// A Linux network namespace for programs that need fixed ports: it has only loopback, and 53, 80 and 443 are
// free there whatever runs on this machine. It needs root; without root, tests that need a namespace are
// skipped and say why.

import { spawn, spawnSync } from 'node:child_process';
import type { TestContext } from 'node:test';

import { atEnd, forgettable } from './leftovers.ts';
import { until, within } from './waiting.ts';

export type Namespace = {
  /** Prefix of a command that runs it in the namespace. */
  readonly wrap: readonly string[];
  /** Occupies ports on all local addresses there; the result releases them. */
  readonly occupy: (ports: readonly number[]) => Promise<() => Promise<void>>;
};

/** For the option `skip` of a test: why this machine cannot create a namespace, or false. */
export const noNamespace: string | false =
  spawnSync('unshare', ['-n', 'ip', 'link', 'set', 'lo', 'up']).status === 0
    ? false
    : 'network namespaces need root, unshare and ip';

/** The namespace and all processes in it end with the test. */
export const openNamespace = async (t: TestContext): Promise<Namespace> => {
  const holder = startChild('unshare', ['-n', 'sh', '-c', 'ip link set lo up && echo up && exec sleep 900']);
  await holder.firstOutput();
  const children = [holder];
  t.after(async () => void (await Promise.all(children.map(({ end }) => end()))));
  return {
    wrap: ['nsenter', '-t', String(holder.pid), '-n'],
    occupy: async (ports) => {
      const args = ['-t', String(holder.pid), '-n', process.execPath, '-e', occupier, ports.join(',')];
      const child = startChild('nsenter', args);
      children.push(child);
      await child.firstOutput();
      return child.end;
    },
  };
};

/** Runs a TypeScript file in the namespace until the test ends; resolves with its first output. */
export const startWithin = async (t: TestContext, wrap: readonly string[], file: string): Promise<void> => {
  const child = startChild('env', [...wrap, process.execPath, file]);
  t.after(() => child.end());
  await child.firstOutput();
};

/** Listens on the ports over TCP, and on port 53 also over UDP. */
const occupier = `
const ports = process.argv[1].split(',').map(Number);
const tcp = ports.map((port) => new Promise((done) =>
  require('net').createServer().listen(port, '::', done)));
const udp = ports.filter((port) => port === 53).map((port) => new Promise((done) =>
  require('dgram').createSocket('udp6').bind(port, '::', done)));
Promise.all([...tcp, ...udp]).then(() => console.log('taken'));
`;

type Child = {
  readonly pid: number;
  readonly firstOutput: () => Promise<void>;
  readonly end: () => Promise<void>;
};

const startChild = (program: string, args: readonly string[]): Child => {
  const child = forgettable(spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] }));
  atEnd(() => child.kill('SIGKILL'));
  const { promise, resolve } = Promise.withResolvers<void>();
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.on('close', () => resolve());
  return {
    pid: child.pid ?? 0,
    firstOutput: async () => void (await until(`${program} is ready`, () => output || undefined)),
    end: async () => {
      child.kill('SIGKILL');
      await within(`${program} ends`, 30_000, promise);
    },
  };
};
