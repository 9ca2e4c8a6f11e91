// Boots the real service in a folder of its own on free loopback ports and waits until it is ready, which is
// asked through the control socket, as `sluice status` does. Unless told otherwise it has no password and
// answers no DNS. Stopping it also looks at its log: a fault that no reply has shown still fails the test.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

import { call, type CallOptions, type Place } from './client.ts';
import { temporaryFolder } from './folder.ts';
import { launch, type Ended, type Environment, type LaunchOptions, type Running } from './program.ts';
import { at, listAt, type Reply } from './reply.ts';
import { keepCertificate, lendCertificate } from './shared-certificate.ts';
import { until, within } from './waiting.ts';

export type BootOptions = Partial<LaunchOptions> & {
  /** Log lines of faults that the test provokes and expects. */
  readonly expectedFaults?: RegExp;
  /** `own`: a new CA and certificate are made, as for a user; otherwise tests share one. */
  readonly certificate?: 'own' | 'shared';
};

export type Service = Place & {
  readonly dir: string;
  readonly pid: number;
  /** Where it is reached, without a slash at the end; empty when it is not open. */
  readonly http: string;
  readonly https: string;
  readonly out: () => string;
  readonly log: () => string;
  /** Waits for what is logged: a reply does not wait for the line. */
  readonly logged: (line: RegExp) => Promise<RegExpExecArray>;
  readonly ended: Promise<Ended>;
  readonly hasEnded: () => boolean;
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly call: (method: string, path: string, options?: CallOptions) => Promise<Reply>;
  /** Ends it in the usual way; fails when it logged a fault or did not end well. */
  readonly stop: () => Promise<void>;
  /** Ends it by force, at once. */
  readonly kill: () => Promise<void>;
};

export const loopbackEnvironment: Environment = {
  SLUICE_WEB_HTTP: '127.0.0.1:0',
  SLUICE_WEB_HTTPS: '127.0.0.1:0',
  SLUICE_AUTH_PASSWORD: '',
  SLUICE_DNS_LISTEN: '',
};

/** Both far above what it takes, for machines that have other things to do. */
const readyMaxMs = 60_000;
const stopMaxMs = 30_000;
const faults = /fault of the service|thread \w+ died|Unhandled|UNCAUGHT|FATAL ERROR/i;

export const boot = async (options: BootOptions = {}): Promise<Service> => {
  const dir = options.dir ?? temporaryFolder();
  if (options.certificate !== 'own') lendCertificate(dir);
  const running = launch(['serve'], { ...options, dir, env: { ...loopbackEnvironment, ...options.env } });
  const controlPath = join(dir, 'control.sock');
  try {
    const status = await readyStatus(running, controlPath);
    // In a network of its own it has other names.
    if (options.certificate !== 'own' && options.wrap === undefined) keepCertificate(dir);
    return makeService(running, dir, placeOf(status, dir, controlPath), options.expectedFaults);
  } catch (error) {
    running.signal('SIGKILL');
    throw new Error(`The service did not get ready. Its log:\n${running.log()}`, { cause: error });
  }
};

/** The same, ended with the test. */
export const bootFor = async (t: TestContext, options: BootOptions = {}): Promise<Service> => {
  const service = await boot(options);
  t.after(() => (service.hasEnded() ? undefined : service.stop()));
  return service;
};

const readyStatus = (running: Running, controlPath: string): Promise<unknown> =>
  until(
    'The service is ready',
    async () => {
      if (running.hasEnded()) throw new Error('The service ended.');
      if (!existsSync(controlPath)) return undefined;
      const place = { httpPort: 0, httpsPort: 0, controlPath, ca: undefined };
      const reply = await call(place, 'GET', '/api/status', { via: 'control' }).catch(() => undefined);
      const state = at(reply?.body, 'status', 'threads', 0, 'state');
      return state === 'running' ? reply?.body : undefined;
    },
    readyMaxMs,
  );

const placeOf = (status: unknown, dir: string, controlPath: string): Place => {
  const caPath = join(dir, 'tls', 'ca.crt');
  return {
    httpPort: portOf(status, 'web.http'),
    httpsPort: portOf(status, 'web.https'),
    controlPath,
    ca: existsSync(caPath) ? readFileSync(caPath) : undefined,
  };
};

const portOf = (status: unknown, setting: string): number => {
  const listener = listAt(status, 'status', 'listeners').find((row) => at(row, 'setting') === setting);
  return Number(at(listener, 'port') ?? 0);
};

const makeService = (
  running: Running,
  dir: string,
  place: Place,
  expectedFaults: RegExp | undefined,
): Service => ({
  ...place,
  ...running,
  dir,
  http: place.httpPort === 0 ? '' : `http://127.0.0.1:${place.httpPort}`,
  https: place.httpsPort === 0 ? '' : `https://127.0.0.1:${place.httpsPort}`,
  logged: (line) => until(`The log has ${line.source}`, () => line.exec(running.log()) ?? undefined),
  call: (method, path, options) => call(place, method, path, options),
  stop: () => stop(running, expectedFaults),
  kill: async () => {
    running.signal('SIGKILL');
    await within('The killed service is gone', stopMaxMs, running.ended);
  },
});

const stop = async (running: Running, expectedFaults: RegExp | undefined): Promise<void> => {
  running.signal('SIGTERM');
  try {
    await within('The service stops', stopMaxMs, running.ended);
  } finally {
    running.signal('SIGKILL');
  }
  const lines = running.log().split('\n');
  const found = lines.filter((line) => faults.test(line) && expectedFaults?.test(line) !== true);
  assert.deepEqual(found, [], 'The service logged faults.');
};
