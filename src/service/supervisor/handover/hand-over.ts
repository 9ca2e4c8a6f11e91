// How a process hands over to its successor. DNS comes first, because it needs nothing of ours but the
// sockets and what lies on the disk; whatever is wrong with the new program or its settings shows before
// anything of the old one was given up. Then the databases change hands, which only one of the two may have
// open; until the successor serves, every step can still be taken back.

import type { Log } from '#platform/log';
import { bequeath, type Estate, type LauncherEnds } from './inheritance.ts';
import type { Launcher } from './launcher.ts';
import { SuccessorProcess } from './successor-process.ts';

export interface HandOverParts {
  readonly estate: Omit<Estate, 'launcher'>;
  /** Nothing under systemd, which follows the new process by itself. */
  readonly launcher: Launcher | undefined;
  readonly log: Log;
  /** Lets go of databases and requests. */
  readonly closeApi: () => Promise<void>;
  /** Everything as before; whoever waits for the restart is told why there was none. */
  readonly reopenApi: (problem: string) => Promise<void>;
  /** Called with the new process, for whoever has to end it. */
  readonly onBegun: (successor: SuccessorProcess) => void;
}

export type HandedOver = { readonly successor: SuccessorProcess } | { readonly problem: string };

export const handOver = async (parts: HandOverParts): Promise<HandedOver> => {
  const { launcher, log } = parts;
  const ends = launcher?.open();
  if (typeof ends === 'string') return { problem: ends };
  const begun = begin(parts, ends);
  if (ends !== undefined) launcher?.keepOwnEnds(ends);
  if (typeof begun === 'string') {
    launcher?.takeBack();
    return { problem: begun };
  }
  parts.onBegun(begun);
  log.info('Restarting: a new process takes over', { successor: begun.pid });
  const problem = await takeTurns(begun, parts);
  if (problem === undefined) return { successor: begun };
  launcher?.takeBack();
  return { problem };
};

const begin = ({ estate, launcher }: HandOverParts, ends: LauncherEnds | undefined) => {
  const bequest = bequeath({ ...estate, launcher: ends }, process.pid);
  if (typeof bequest === 'string') return bequest;
  const { execPath, execArgv, argv, env } = process;
  const args = [...execArgv, ...argv.slice(1)];
  // One group for all successors of the first process; later ones are born into it.
  const ownGroup = launcher?.isFirst === true;
  return new SuccessorProcess({ program: execPath, args, env, ownGroup }, bequest);
};

/** The reason when it failed; then the successor is gone and everything is as before. */
const takeTurns = async (
  successor: SuccessorProcess,
  { closeApi, reopenApi }: HandOverParts,
): Promise<string | undefined> => {
  const early = await successor.until('dns');
  if (early !== undefined) {
    await successor.kill();
    return early;
  }
  await closeApi();
  successor.tell({ kind: 'databases' });
  const late = await successor.until('ready');
  if (late === undefined) return undefined;
  await successor.kill();
  await reopenApi(late);
  return late;
};
