// The log: one line per event, for people (`text`) or for machines (`json`), always with the same fields.
// Lines are written directly to the descriptor, because a line in a buffer is lost in the crash that it would
// explain. Nothing on the path of a query logs.

import { writeSync } from 'node:fs';
import { logLevels, type LogLevel } from './log-level.ts';
import type { ShownLogs } from './shown-logs.ts';

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
  /** Keeps the newest lines for the API. */
  readonly shown?: Pick<ShownLogs, 'add'> | undefined;
}

export function createLog(options: LogOptions): Log {
  const { thread, level, format, nowMs, write = writeToStderr, shown } = options;
  const render = format === 'json' ? asJson : asText;
  const line =
    (rank: LogLevel) =>
    (message: string, fields: LogFields = {}): void => {
      if (logLevels.indexOf(rank) > logLevels.indexOf(level())) return;
      const timeMs = nowMs();
      write(render(new Date(timeMs).toISOString(), rank, thread, message, fields));
      // Main logs for the dns workers and then names the worker.
      const speaker = typeof fields['thread'] === 'string' ? fields['thread'] : thread;
      shown?.add(speaker, timeMs, rank, plainText(thread, message, fields));
    };
  return { error: line('error'), warn: line('warn'), info: line('info'), debug: line('debug') };
}

function asJson(time: string, level: LogLevel, thread: string, message: string, fields: LogFields): string {
  return `${JSON.stringify({ time, level, thread, message, ...fields })}\n`;
}

function asText(time: string, level: LogLevel, thread: string, message: string, fields: LogFields): string {
  return `${time} ${level.padEnd(5)} ${plainText(thread, message, fields)}\n`;
}

function plainText(thread: string, message: string, fields: LogFields): string {
  const extra = Object.entries(fields).map(([name, value]) => ` ${name}=${plainOrQuoted(value)}`);
  return `${thread}: ${oneLine(message)}${extra.join('')}`;
}

function plainOrQuoted(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
  return /^[\w.:/@*+-]+$/.test(text) ? text : JSON.stringify(text);
}

/** One event is one line: a client that can put a line break into a message must not forge a second event. */
function oneLine(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ');
}

function writeToStderr(line: string): void {
  try {
    writeSync(2, line);
  } catch {
    // A closed or full pipe must not stop the service; the line is lost.
  }
}
