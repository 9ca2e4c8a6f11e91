/**
 * The control socket for machines without libc: looks whether the path can be had and removes what a dead
 * process left there; the thread that serves then listens on the path by itself and narrows its mode. For
 * that moment the socket is as open as the umask leaves it, so the folder should be ours alone.
 */
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

/** The code of the failure to connect; somebody who answers has the address in use. */
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
