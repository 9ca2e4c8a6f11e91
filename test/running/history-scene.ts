// A service whose DNS answers are recorded in the history, across several processes in one data folder. It
// queries names and reads back what the history holds.

import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

import { bootFor, type Service } from './boot.ts';
import { sendQuery, dnsEnvironment, dnsPort } from './dns-service.ts';
import { temporaryFolder } from './folder.ts';
import { at, describe, listAt } from './reply.ts';

/** Each is queried once, in this order. */
const names = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'].map((word) => `${word}.lan`);
/** Nothing listens on the upstream's port: every name is a local record. */
const env = {
  ...dnsEnvironment(9),
  SLUICE_DNS_HOSTS: `192.0.2.7 ${names.join(' ')}`,
  SLUICE_DNS_WORKERS: '1',
};
const noError = 0;

export class HistoryScene {
  readonly #t: TestContext;
  readonly #dir = temporaryFolder();
  #service: Service | undefined;
  #port = 0;
  #asked = 0;

  constructor(t: TestContext) {
    this.#t = t;
  }

  get service(): Service {
    assert.ok(this.#service !== undefined);
    return this.#service;
  }

  get dir(): string {
    return this.#dir;
  }

  get port(): number {
    return this.#port;
  }

  async start(): Promise<void> {
    // Tests of this scene kill threads.
    this.#service = await bootFor(this.#t, { dir: this.#dir, env, expectedFaults: /thread \w+ died/ });
    this.#port = await dnsPort(this.#service);
  }

  /** Queries the next name. */
  async queryNext(): Promise<void> {
    const name = names[this.#asked++] ?? '';
    assert.equal(await sendQuery(this.#port, name), noError, name);
  }

  /** The recorded names, the oldest first. */
  async recorded(): Promise<readonly string[]> {
    const reply = await this.service.call('GET', '/api/queries?length=1000');
    assert.equal(reply.status, 200, describe(reply));
    return listAt(reply.body, 'queries')
      .map((row) => String(at(row, 'domain')))
      .filter((name) => names.includes(name))
      .toReversed();
  }

  /** Every name queried so far is recorded exactly once, in order. */
  async assertAll(): Promise<void> {
    assert.deepEqual(await this.recorded(), names.slice(0, this.#asked), this.service.log());
  }

  /** The bytes of the journal, which is written each second and outlives a killed thread. */
  journalBytes(): number {
    return [0, 1]
      .map((turn) => join(this.#dir, `history-journal-${turn}.bin`))
      .map((path) => (existsSync(path) ? statSync(path).size : 0))
      .reduce((sum, size) => sum + size, 0);
  }

  /** How often the history thread was replaced; undefined while it does not run. */
  async threadRestarts(): Promise<number | undefined> {
    const { body } = await this.service.call('GET', '/api/status');
    const history = listAt(body, 'status', 'threads').find((row) => at(row, 'name') === 'history');
    return at(history, 'state') === 'running' ? Number(at(history, 'restarts')) : undefined;
  }
}
