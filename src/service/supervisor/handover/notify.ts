// Reports the state of the service to systemd (sd_notify(3)): lines in one datagram to the socket that
// NOTIFY_SOCKET names. Without that variable nothing is sent.

import { closeSync, writeSync } from 'node:fs';
import { AF_UNIX, type Libc, SOCK_DGRAM } from '#platform/sockets';

export interface Notifier {
  readonly isWanted: boolean;
  readonly notify: (...lines: readonly string[]) => void;
}

const maxPathBytes = 107;

export function createNotifier(libc: Libc | undefined, path: string | undefined): Notifier {
  const to = path === undefined ? undefined : socketAddress(path);
  return {
    isWanted: path !== undefined && path !== '',
    notify: (...lines) => {
      if (libc !== undefined && to !== undefined) send(libc, to, lines.join('\n'));
    },
  };
}

/** sockaddr_un; a leading @ stands for the zero byte of an abstract name (unix(7)). */
function socketAddress(path: string): Uint8Array | undefined {
  const name = Buffer.from(path);
  if (name.length === 0 || name.length > maxPathBytes) return undefined;
  const isAbstract = path.startsWith('@');
  if (isAbstract) name[0] = 0;
  return Buffer.concat([Buffer.from([AF_UNIX, 0]), name, Buffer.alloc(isAbstract ? 0 : 1)]);
}

/** Failures are ignored: a manager that does not listen must not stop the service. */
function send(libc: Libc, to: Uint8Array, text: string): void {
  const made = libc.socket(AF_UNIX, SOCK_DGRAM);
  if (!made.ok) return;
  try {
    if (libc.connect(made.value, to).ok) writeSync(made.value, text);
  } catch {
    // The manager's queue is full or it is gone.
  } finally {
    closeSync(made.value);
  }
}
