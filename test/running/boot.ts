// Boots the real service in a new folder on free loopback ports and waits until it is ready. Readiness is
// read through the control socket, as `sluice status` does. By default the service has no password and does
// not listen for DNS. `stop` also checks the log: a fault that no reply has shown still fails the test.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

import { call, type CallOptions, type Place } from './client.ts';
import { temporaryFolder } from './folder.ts';
import { launch, type Ended, type Environment, type LaunchOptions, type Running } from './program.ts';
import { at, listAt, type Reply } from './reply.ts';
import { storeSharedCertificate, copySharedCertificate } from './shared-certificate.ts';
import { until, within } from './waiting.ts';

export type BootOptions = Partial<LaunchOptions> & {
  /** Log lines of faults that the test provokes and expects. */
  readonly expectedFaults?: RegExp;
  /** `own`: the service issues a new CA and certificate, as for a user; otherwise all tests share one. */
  readonly certificate?: 'own' | 'shared';
};

export type Service = Place & {
  readonly dir: string;
  readonly pid: number;
  /** Base URLs without a slash at the end; empty when the listener is closed. */
  readonly http: string;
  readonly https: string;
  readonly out: () => string;
  readonly log: () => string;
  /** Waits for a log line: a reply can arrive before the line about it is written. */
  readonly logged: (line: RegExp) => Promise<RegExpExecArray>;
  readonly ended: Promise<Ended>;
  readonly hasEnded: () => boolean;
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly call: (method: string, path: string, options?: CallOptions) => Promise<Reply>;
  /** Stops it with SIGTERM; fails when it logged a fault or does not end in time. */
  readonly stop: () => Promise<void>;
  /** Ends it with SIGKILL. */
  readonly kill: () => Promise<void>;
};

export const loopbackEnvironment: Environment = {
  SLUICE_WEB_HTTP: '127.0.0.1:0',
  SLUICE_WEB_HTTPS: '127.0.0.1:0',
  SLUICE_AUTH_PASSWORD: '',
  SLUICE_DNS_LISTEN: '',
};

/** Both far above the usual duration, so that a busy machine does not fail the tests. */
const maxReadyMs = 60_000;
const maxStopMs = 30_000;
const faults = /fault of the service|thread \w+ died|Unhandled|UNCAUGHT|FATAL ERROR/i;

export const boot = async (options: BootOptions = {}): Promise<Service> => {
  const dir = options.dir ?? temporaryFolder();
  if (options.certificate !== 'own') copySharedCertificate(dir);
  const running = launch(['serve'], { ...options, dir, env: { ...loopbackEnvironment, ...options.env } });
  const controlPath = join(dir, 'control.sock');
  try {
    const status = await readyStatus(running, controlPath);
    // In its own network namespace its certificate has other names.
    if (options.certificate !== 'own' && options.wrap === undefined) storeSharedCertificate(dir);
    return toService(running, dir, placeOf(status, dir, controlPath), options.expectedFaults);
  } catch (error) {
    running.signal('SIGKILL');
    throw new Error(`The service did not get ready. Its log:\n${running.log()}`, { cause: error });
  }
};

/** The same; the service is stopped when the test ends. */
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
    maxReadyMs,
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

const toService = (
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
    await within('The killed service is gone', maxStopMs, running.ended);
  },
});

const stop = async (running: Running, expectedFaults: RegExp | undefined): Promise<void> => {
  running.signal('SIGTERM');
  try {
    await within('The service stops', maxStopMs, running.ended);
  } finally {
    running.signal('SIGKILL');
  }
  const lines = running.log().split('\n');
  const found = lines.filter((line) => faults.test(line) && expectedFaults?.test(line) !== true);
  assert.deepEqual(found, [], 'The service logged faults.');
};
