// Handlers of the logs: the lines of the rings in the fields and terms of existing clients.

import { readlinkSync } from 'node:fs';
import type { ReplyBody } from '#contract';
import type { Handlers } from '../http/handler.ts';
import type { LogName, ShownLine, ShownLogs } from '#platform/log';

type Names = 'getServiceLog' | 'getDnsLog' | 'getWebLog';
type LogReply = ReplyBody<'getServiceLog', 200>;

export function createLogHandlers(logs: Pick<ShownLogs, 'read'>): Pick<Handlers, Names> {
  const file = logFile();
  const reply = (name: LogName, from = 0): { readonly status: 200; readonly body: LogReply } => {
    const { next, lines } = logs.read(name, from);
    const log = lines.map((line) => ({
      timestamp: line.timeMs / 1000,
      message: line.text,
      prio: name === 'ftl' ? priority(line) : null,
    }));
    return { status: 200, body: { log, nextID: next, pid: process.pid, file } };
  };
  return {
    getServiceLog: ({ query }) => reply('ftl', query.nextID),
    getDnsLog: ({ query }) => reply('dnsmasq', query.nextID),
    getWebLog: ({ query }) => reply('webserver', query.nextID),
  };
}

const priorities = { error: 'ERROR', warn: 'WARNING', info: 'INFO' } as const;

/** Existing clients expect the area of a debug line in its priority: here it is the thread. */
function priority({ level, text }: ShownLine): string {
  return level === 'debug' ? `DEBUG_${text.split(':', 1)[0]?.toUpperCase()}` : priorities[level];
}

const fallback = '/dev/stderr';

/** The file that standard error is redirected to, if any. */
function logFile(): string {
  try {
    const target = readlinkSync('/proc/self/fd/2');
    return target.startsWith('/') ? target : fallback;
  } catch {
    return fallback;
  }
}
