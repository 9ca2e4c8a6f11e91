// For tests: a store in a temporary folder that is deleted after the test, and an unlimited time budget.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BudgetOptions } from '../../history/segments/budget.ts';
import { HistoryStore } from '../../history/segments/history-store.ts';
import type { HistoryOptions } from '../../history/segments/store-types.ts';

export const endless: BudgetOptions = { limitMs: Infinity, clockMs: () => 0 };
export const startMs = Date.UTC(2026, 2, 28, 20);

export interface TestStore {
  readonly dataDir: string;
  readonly messages: string[];
  /** Opens the folder, for the first time or again. */
  open(options?: Partial<HistoryOptions>): HistoryStore;
}

export function makeTestStore(context: { after(work: () => void): void }): TestStore {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-history-'));
  const messages: string[] = [];
  context.after(() => rmSync(dataDir, { recursive: true, force: true }));
  return {
    dataDir,
    messages,
    open: (options = {}) =>
      new HistoryStore({
        dataDir,
        nowMs: startMs,
        seeds: [11, 22],
        report: (message) => messages.push(message),
        ...options,
      }),
  };
}
