// The log: one line for each event, for people (`text`) or for machines (`json`), always with the same
// fields. Lines go straight to the descriptor, because a line that waits in a buffer is lost in the crash
// that it would explain. Nothing on the path of a query logs.

import { writeSync } from 'node:fs';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';
type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  readonly error: (message: string, fields?: LogFields) => void;
  readonly warn: (message: string, fields?: LogFields) => void;
  readonly info: (message: string, fields?: LogFields) => void;
  readonly debug: (message: string, fields?: LogFields) => void;
}

export interface LogOptions {
  readonly thread: string;
  readonly level: () => LogLevel;
  readonly format: 'text' | 'json';
  readonly nowMs: () => number;
  readonly write?: (line: string) => void;
}

const ranks: Readonly<Record<LogLevel, number>> = { error: 0, warn: 1, info: 2, debug: 3 };

export const createLog = ({ thread, level, format, nowMs, write = writeToStderr }: LogOptions): Log => {
  const render = format === 'json' ? asJson : asText;
  const line =
    (rank: LogLevel) =>
    (message: string, fields: LogFields = {}): void => {
      if (ranks[rank] > ranks[level()]) return;
      const time = new Date(nowMs()).toISOString();
      write(render(time, rank, thread, message, fields));
    };
  return { error: line('error'), warn: line('warn'), info: line('info'), debug: line('debug') };
};

const asJson = (time: string, level: LogLevel, thread: string, message: string, fields: LogFields): string =>
  `${JSON.stringify({ time, level, thread, message, ...fields })}\n`;

const asText = (
  time: string,
  level: LogLevel,
  thread: string,
  message: string,
  fields: LogFields,
): string => {
  const extra = Object.entries(fields).map(([name, value]) => ` ${name}=${plainOrQuoted(value)}`);
  return `${time} ${level.padEnd(5)} ${thread}: ${oneLine(message)}${extra.join('')}\n`;
};

const plainOrQuoted = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
  return /^[\w.:/@*+-]+$/.test(text) ? text : JSON.stringify(text);
};

/** One event is one line: whoever can put a line break into a message must not forge a second event. */
const oneLine = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ');

const writeToStderr = (line: string): void => {
  try {
    writeSync(2, line);
  } catch {
    // A reader that is gone or a full pipe must not stop the service; the line is lost.
  }
};
