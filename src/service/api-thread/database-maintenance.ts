// Runs the maintenance of the database file in a thread: a check and a copy, soon after the start and then
// once a day. When the check finds damage, the api thread is replaced: the new one repairs the file when it
// opens it.

import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Log } from '#platform/log';
import { type MaintenanceResult, copyPath, dayOf } from '#store/database/maintenance';
import { threadEntries } from '../entries.ts';

export interface DatabaseMaintenanceOptions {
  readonly dataDir: string;
  readonly nowMs: () => number;
  readonly log: Log;
  /** Why the database cannot be written; it is then not copied, because that would fail as well. */
  readonly trouble: () => string | undefined;
  readonly onDamaged: () => void;
  /** Called when the database is sound and today's copy exists. */
  readonly onDone: () => void;
}

const firstAfterMs = 20_000;
const everyMs = 600_000;
const maxThreadMs = 120_000;

export class DatabaseMaintenance {
  readonly #options: DatabaseMaintenanceOptions;
  readonly #timers: NodeJS.Timeout[];
  #worker: Worker | undefined;
  #isClosed = false;

  constructor(options: DatabaseMaintenanceOptions) {
    this.#options = options;
    this.#timers = [
      setTimeout(() => this.run(), firstAfterMs).unref(),
      setInterval(() => this.#runIfDue(), everyMs).unref(),
    ];
  }

  run(): void {
    const { dataDir, nowMs, trouble } = this.#options;
    if (this.#worker !== undefined || trouble() !== undefined) return;
    const worker = new Worker(threadEntries.databaseMaintenance, {
      name: 'maintenance',
      workerData: { dataDir, nowMs: nowMs() },
    });
    const timeout = setTimeout(() => void worker.terminate(), maxThreadMs).unref();
    this.#worker = worker;
    worker.unref();
    let isDone = false;
    worker.on('message', (result: MaintenanceResult) => {
      isDone = true;
      this.#onResult(result);
    });
    worker.on('error', (error) => this.#onResult({ state: 'failed', problem: String(error) }));
    worker.on('exit', () => {
      clearTimeout(timeout);
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

  #onResult(result: MaintenanceResult): void {
    const { log, dataDir, onDamaged, onDone } = this.#options;
    if (result.state === 'failed')
      log.error(
        `The database could not be copied: ${result.problem}. The service retries within ten minutes.`,
      );
    if (result.state === 'good' && result.copied)
      log.info('A copy of the database was made', { folder: dataDir });
    if (result.state === 'good' && result.protectedCopies !== undefined)
      log.warn(
        `The database copies of ${result.protectedCopies.join(', ')} may hold changes that were lost ` +
          'later, and are kept in addition to the seven newest. If changes are missing, restore one ' +
          '(docs/operating.md). If not, delete the diagnosis message about the loss; without such a ' +
          'message, delete the copies.',
      );
    if (result.state === 'good' && result.damaged !== undefined)
      log.error(
        `These copies of the database are damaged and will not be restored: ${result.damaged.join(', ')}. ` +
          'Delete them from the folder copies, and check the disk.',
      );
    if (result.state === 'good') onDone();
    if (result.state !== 'damaged') return;
    log.error(
      `The database is broken: ${result.problem}. It is repaired, or restored from the newest good copy.`,
    );
    onDamaged();
  }
}
