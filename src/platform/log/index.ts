// The door of the log. It loads nothing else, because every thread logs.

export { createLog, type Log } from './log.ts';
export { type LogMemory, type LogName, type ShownLine, ShownLogs } from './shown-logs.ts';
