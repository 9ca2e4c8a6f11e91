// The complete service of a household: HTTP, HTTPS and DNS, on loopback ports that are chosen here, so that
// the benchmark can wait for the first answer. It has no password and downloads no list.

import { spawn } from 'node:child_process';

import { firstAnswer } from './dns/question.ts';
import { cpuSeconds } from './process-figures.ts';
import { firstReply, freePort, stop } from './service.ts';

export type WholeService = {
  readonly pid: number;
  readonly url: string;
  readonly dnsPort: number;
  /** From the start of the launcher. */
  readonly toAnswerSeconds: number;
  readonly toReplySeconds: number;
  /** CPU time of all threads until the first DNS answer. */
  readonly cpuSeconds: number;
  readonly stop: () => Promise<void>;
};

export async function startWhole(launcher: string, dataDir: string): Promise<WholeService> {
  const [http, dnsPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${http}`;
  const startedMs = performance.now();
  const seconds = (): number => (performance.now() - startedMs) / 1000;
  const child = spawn(launcher, ['serve'], { env: environment(dataDir, http, dnsPort), stdio: 'ignore' });
  // The launcher execs, so this is the process of the program.
  const pid = child.pid ?? 0;
  await firstAnswer(dnsPort);
  const answered = { toAnswerSeconds: seconds(), cpuSeconds: cpuSeconds(pid) };
  await firstReply(child, `${url}/api/health`);
  return { pid, url, dnsPort, ...answered, toReplySeconds: seconds(), stop: () => stop(child) };
}

function environment(dataDir: string, http: number, dns: number): Record<string, string> {
  return {
    PATH: '/usr/bin:/bin',
    SLUICE_STORAGE_DIR: dataDir,
    SLUICE_WEB_HTTP: `127.0.0.1:${http}`,
    SLUICE_WEB_HTTPS: '127.0.0.1:0',
    SLUICE_AUTH_PASSWORD: '',
    SLUICE_DNS_LISTEN: `127.0.0.1:${dns}`,
    // No server listens there; the measured queries are not forwarded.
    SLUICE_DNS_UPSTREAMS: '127.0.0.1#9',
    SLUICE_LISTS_UPDATE_HOURS: '0',
  };
}
