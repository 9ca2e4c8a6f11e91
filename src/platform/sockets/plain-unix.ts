// The control socket for machines without libc: checks whether the path is free and removes the socket of a
// dead process; the thread that serves then listens on the path and restricts its mode. Until then the socket
// has the mode that the umask allows, so the folder should be private to this user.

import { unlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { defaultBacklog, type Opened, type UnixListener } from './listener.ts';
import { systemCode } from './system-code.ts';
import { checkUnixPath } from './unix-path.ts';
import { unixProblem } from './unix-problem.ts';

export async function openUnixPlain(path: string): Promise<Opened<UnixListener>> {
  const code = await obstacle(path);
  if (code !== undefined) return { ok: false, code, problem: unixProblem(path, code) };
  return { ok: true, listener: { kind: 'unix', fd: undefined, path, backlog: defaultBacklog } };
}

async function obstacle(path: string): Promise<string | undefined> {
  const found = checkUnixPath(path);
  if (!found.ok) return found.code;
  if (found.value === 'free') return undefined;
  const code = await connectCode(path);
  return code === 'ECONNREFUSED' ? removalCode(path) : code;
}

/** The code of the failure to connect; EADDRINUSE when a process answers. */
async function connectCode(path: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const probe = connect({ path });
  probe.once('error', (error) => resolve(systemCode(error)));
  probe.once('connect', () => resolve('EADDRINUSE'));
  return promise.finally(() => probe.destroy());
}

function removalCode(path: string): string | undefined {
  try {
    unlinkSync(path);
    return undefined;
  } catch (error) {
    return systemCode(error);
  }
}
