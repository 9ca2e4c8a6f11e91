// The door of the stored history: journal, segments, sums, and the questions that they answer.

export { historyFile } from './database.ts';
export type { RowFilter } from './filter.ts';
export { hiddenClient, hiddenName } from './hidden.ts';
export { journalFile } from './journal.ts';
export { lastDay } from './last-day.ts';
export { listIdOf } from './list-id.ts';
export type { HistoryRow, PageRequest } from './page.ts';
export { patternOf } from './pattern.ts';
export { slotSeconds } from './rollup-code.ts';
export type { Counts } from './statistics.ts';
export { classesOfStatuses, StatusClass, statusesOf } from './statuses.ts';
export { type UsageSlice, usageWords } from './usage.ts';
