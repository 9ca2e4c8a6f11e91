// Starts the care of the database file now and then: soon after the start, and whenever a day has no copy
// yet. What it finds broken is mended by opening the file anew, which a fresh thread does.

import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Log } from '#platform/log';
import { type CareResult, copyPath, dayOf } from '#store/database/maintenance';
import { threadEntries } from '../entries.ts';

export interface DatabaseCareOptions {
  readonly dataDir: string;
  readonly nowMs: () => number;
  readonly log: Log;
  /** Why the database cannot be written: it cannot be copied then either, and is perhaps held by us alone. */
  readonly trouble: () => string | undefined;
  readonly onBroken: () => void;
  /** Called when it found the database good, and has a copy of today. */
  readonly onDone: () => void;
}

const firstAfterMs = 20_000;
const everyMs = 600_000;
const careThreadMaxMs = 120_000;

export class DatabaseCare {
  readonly #options: DatabaseCareOptions;
  readonly #timers: NodeJS.Timeout[];
  #worker: Worker | undefined;
  #isClosed = false;

  constructor(options: DatabaseCareOptions) {
    this.#options = options;
    this.#timers = [
      setTimeout(() => this.run(), firstAfterMs).unref(),
      setInterval(() => this.#runIfDue(), everyMs).unref(),
    ];
  }

  run(): void {
    const { dataDir, nowMs, trouble } = this.#options;
    if (this.#worker !== undefined || trouble() !== undefined) return;
    const worker = new Worker(threadEntries.care, { name: 'care', workerData: { dataDir, nowMs: nowMs() } });
    const tooLong = setTimeout(() => void worker.terminate(), careThreadMaxMs).unref();
    this.#worker = worker;
    worker.unref();
    let isDone = false;
    worker.on('message', (result: CareResult) => {
      isDone = true;
      this.#onResult(result);
    });
    worker.on('error', (error) => this.#onResult({ state: 'failed', problem: String(error) }));
    worker.on('exit', () => {
      clearTimeout(tooLong);
      this.#worker = undefined;
      if (!isDone && !this.#isClosed) this.#onResult({ state: 'failed', problem: 'it took too long' });
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#worker?.terminate();
  }

  #runIfDue(): void {
    const { dataDir, nowMs } = this.#options;
    if (!existsSync(copyPath(dataDir, dayOf(nowMs())))) this.run();
  }

  #onResult(result: CareResult): void {
    const { log, dataDir, onBroken, onDone } = this.#options;
    if (result.state === 'failed')
      log.error(`The database could not be copied: ${result.problem}. It is tried again later.`);
    if (result.state === 'good' && result.copied)
      log.info('A copy of the database was made', { folder: dataDir });
    if (result.state === 'good' && result.spared !== undefined)
      log.warn(
        `Copies of ${result.spared.join(', ')} may hold changes that were lost since, and are kept beside ` +
          'the seven newest. If changes are missing, restore one (docs/operating.md). If not, delete the ' +
          'diagnosis message about the loss, or where there is none, these copies.',
      );
    if (result.state === 'good' && result.damaged !== undefined)
      log.error(
        `These copies of the database are damaged, and will not be restored: ${result.damaged.join(', ')}. ` +
          'Delete them from the folder copies, and look after the disk.',
      );
    if (result.state === 'good') onDone();
    if (result.state !== 'damaged') return;
    log.error(
      `The database is broken: ${result.problem}. It is opened anew, and mended from the newest good copy.`,
    );
    onBroken();
  }
}
