// The three logs that existing clients can show. One has every line; lines of the dns workers and of the api
// thread are also in a log of their own, where other lines do not displace them.

import { limits } from '#contract';
import { logLevels, type LogLevel } from './log-level.ts';
import { LogRing } from './log-ring.ts';

export type LogName = 'ftl' | 'dnsmasq' | 'webserver';
/** The memory that is shared with other threads. */
export type LogMemory = Readonly<Record<LogName, SharedArrayBuffer>>;

export interface ShownLine {
  readonly timeMs: number;
  readonly level: LogLevel;
  readonly text: string;
}

export class ShownLogs {
  readonly #rings: Readonly<Record<LogName, LogRing>>;

  /** Allocates memory when none is passed. */
  constructor(memory?: LogMemory) {
    const ring = (name: LogName): LogRing =>
      new LogRing(limits.logLines, limits.logLineLength, memory?.[name]);
    this.#rings = { ftl: ring('ftl'), dnsmasq: ring('dnsmasq'), webserver: ring('webserver') };
  }

  get memory(): LogMemory {
    const { ftl, dnsmasq, webserver } = this.#rings;
    return { ftl: ftl.memory, dnsmasq: dnsmasq.memory, webserver: webserver.memory };
  }

  add(thread: string, timeMs: number, level: LogLevel, text: string): void {
    const mark = logLevels.indexOf(level);
    this.#rings.ftl.add(timeMs, mark, text);
    const other = otherLog(thread);
    if (other !== undefined) this.#rings[other].add(timeMs, mark, text);
  }

  /** The number of the next line, and the lines from `from` on. */
  read(name: LogName, from: number): { readonly next: number; readonly lines: readonly ShownLine[] } {
    const ring = this.#rings[name];
    const { next } = ring;
    const lines = ring.read(from).map(({ timeMs, mark, text }) => {
      const level = logLevels[mark] ?? 'info';
      return { timeMs, level, text };
    });
    return { next, lines };
  }
}

function otherLog(thread: string): LogName | undefined {
  if (thread.startsWith('dns')) return 'dnsmasq';
  return thread === 'api' ? 'webserver' : undefined;
}
