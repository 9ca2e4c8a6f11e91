// The service for HTTP benchmarks: on loopback, with HTTP and HTTPS, without DNS, and without a password by
// default. The HTTP port is chosen here, so that the benchmark can wait for the first reply.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { mainProcess } from './process-figures.ts';

export type Service = {
  readonly pid: number;
  readonly url: string;
  /** From the start of the process to the first reply. */
  readonly startMs: number;
  readonly stop: () => Promise<void>;
};

const MAX_READY_MS = 30_000;
const LOOK_EVERY_MS = 4;

export async function startService(launcher: string, dataDir: string, password = ''): Promise<Service> {
  const port = await freePort();
  const startedMs = performance.now();
  const child = spawn(launcher, ['serve'], { env: environment(dataDir, port, password), stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  await firstReply(child, `${url}/api/health`);
  const startMs = performance.now() - startedMs;
  return { pid: mainProcess(child.pid ?? 0), url, startMs, stop: () => stop(child) };
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** Waits until a URL gives 200. */
export async function firstReply(child: ChildProcess, url: string): Promise<void> {
  const endMs = performance.now() + MAX_READY_MS;
  while ((await statusOf(url)) !== 200) {
    if (child.exitCode !== null || performance.now() > endMs) {
      child.kill('SIGKILL');
      throw new Error(`${child.spawnargs.join(' ')} gave no reply: start it by hand to see why.`);
    }
    await sleep(LOOK_EVERY_MS);
  }
}

/** On a new connection; 0 without a reply. */
function statusOf(url: string): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const request = get(url, { agent: false }, (reply) => {
    reply.resume();
    resolve(reply.statusCode ?? 0);
  });
  request.on('error', () => resolve(0));
  return promise;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A listening TCP server has an address and a port.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Without the caller's settings, and with the Node of the package. */
function environment(dataDir: string, port: number, password: string): Record<string, string> {
  return {
    PATH: '/usr/bin:/bin',
    SLUICE_STORAGE_DIR: dataDir,
    SLUICE_WEB_HTTP: `127.0.0.1:${port}`,
    SLUICE_WEB_HTTPS: '127.0.0.1:0',
    SLUICE_AUTH_PASSWORD: password,
    SLUICE_DNS_LISTEN: '',
    SLUICE_LISTS_UPDATE_HOURS: '0',
  };
}
