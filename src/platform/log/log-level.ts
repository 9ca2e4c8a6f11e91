// How important a line of the log is, in the words of the setting log.level, the most important first.

export const logLevels = ['error', 'warn', 'info', 'debug'] as const;

export type LogLevel = (typeof logLevels)[number];
