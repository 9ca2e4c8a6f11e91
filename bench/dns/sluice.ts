// Sluice as the DNS cases run it: the bundle on loopback with the stub upstream, and with local records if
// needed. The CPU time of its dns workers is measured; threads are identified by their names.

import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { livingCpuSeconds, mainProcess, threadsCpuSeconds } from '../process-figures.ts';
import { firstReply, freePort, stop } from '../service.ts';
import { newFolder } from '../workshop.ts';
import type { Peer } from './peers.ts';

export type Sluice = Peer & {
  /** The address of its API. */
  readonly url: string;
  /** CPU time of the whole program. */
  readonly allCpuSeconds: () => number;
};

export type SluiceOptions = {
  readonly upstreamPort: number;
  readonly workers: number;
  readonly hosts?: readonly string[];
  /** The data folder of an earlier run; default: a new one. */
  readonly folder?: string;
};

export type Launched = { readonly child: ChildProcess; readonly port: number; readonly url: string };

/** Returns before the service answers. */
export async function launchSluice(launcher: string, options: SluiceOptions): Promise<Launched> {
  const folder = options.folder ?? newFolder('sluice');
  const [http, port] = [await freePort(), await freePort()];
  const config = join(folder, 'sluice.toml');
  writeFileSync(config, settingsFile(options, http, port, join(folder, 'data')));
  const env = { PATH: '/usr/bin:/bin', SLUICE_CONFIG: config };
  const child = spawn(launcher, ['serve'], { env, stdio: 'ignore' });
  return { child, port, url: `http://127.0.0.1:${http}` };
}

export async function startSluice(launcher: string, options: SluiceOptions): Promise<Sluice> {
  const { child, port, url } = await launchSluice(launcher, options);
  await firstReply(child, `${url}/api/health`);
  const pid = mainProcess(child.pid ?? 0);
  return {
    pid,
    url,
    port,
    cpuSeconds: () => threadsCpuSeconds(pid, /^dns\d/),
    allCpuSeconds: () => livingCpuSeconds(pid),
    stop: () => stop(child),
  };
}

function settingsFile(
  { upstreamPort, workers, hosts = [] }: SluiceOptions,
  http: number,
  dns: number,
  dataDir: string,
): string {
  return `[storage]
dir = ${JSON.stringify(dataDir)}
[web]
http = "127.0.0.1:${http}"
https = ""
[auth]
password = ""
[lists]
updateHours = 0
[dns]
listen = "127.0.0.1:${dns}"
workers = ${workers}
upstreams = ["127.0.0.1#${upstreamPort}"]
hosts = ${JSON.stringify(hosts)}
`;
}
