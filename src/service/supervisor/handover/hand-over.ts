// How a process hands over to its successor. DNS comes first, because it needs only the sockets and files on
// disk: a fault of the new program or of its settings shows before the old process has closed anything. Then
// the successor opens the databases, which only one process may have open. Until it serves, every step can be
// reverted.

import type { Log } from '#platform/log';
import { packInheritance, type Inheritable, type LauncherEnds } from './inheritance.ts';
import type { Launcher } from './launcher.ts';
import { SuccessorProcess } from './successor-process.ts';

export interface HandOverParts {
  readonly inheritable: Omit<Inheritable, 'launcher'>;
  /** Undefined under systemd, which tracks the new process itself. */
  readonly launcher: Launcher | undefined;
  readonly log: Log;
  /** Closes databases and ends requests. */
  readonly closeApi: () => Promise<void>;
  /** Serves again as before, and answers requests for the restart with the problem. */
  readonly reopenApi: (problem: string) => Promise<void>;
  /** Called with the new process, so that the caller can end it. */
  readonly onStarted: (successor: SuccessorProcess) => void;
}

export type HandedOver = { readonly successor: SuccessorProcess } | { readonly problem: string };

export async function handOver(parts: HandOverParts): Promise<HandedOver> {
  const { launcher, log } = parts;
  const ends = launcher?.open();
  if (typeof ends === 'string') return { problem: ends };
  const successor = startSuccessor(parts, ends);
  if (ends !== undefined) launcher?.keepOwnEnds(ends);
  if (typeof successor === 'string') {
    launcher?.abortHandover();
    return { problem: successor };
  }
  parts.onStarted(successor);
  log.info('Restarting: a new process takes over', { successor: successor.pid });
  const problem = await waitForSuccessor(successor, parts);
  if (problem === undefined) return { successor };
  launcher?.abortHandover();
  return { problem };
}

function startSuccessor({ inheritable, launcher }: HandOverParts, ends: LauncherEnds | undefined) {
  const packed = packInheritance({ ...inheritable, launcher: ends }, process.pid);
  if (typeof packed === 'string') return packed;
  const { execPath, execArgv, argv, env } = process;
  const args = [...execArgv, ...argv.slice(1)];
  // All successors of the first process share one process group; later ones inherit it.
  const ownGroup = launcher?.isFirst === true;
  return new SuccessorProcess({ program: execPath, args, env, ownGroup }, packed);
}

/** The reason for a failure; the successor is then dead and everything is as before. */
async function waitForSuccessor(
  successor: SuccessorProcess,
  { closeApi, reopenApi }: HandOverParts,
): Promise<string | undefined> {
  const early = await successor.until('dns');
  if (early !== undefined) {
    await successor.kill();
    return early;
  }
  await closeApi();
  successor.send({ kind: 'databases' });
  const late = await successor.until('ready');
  if (late === undefined) return undefined;
  await successor.kill();
  await reopenApi(late);
  return late;
}
