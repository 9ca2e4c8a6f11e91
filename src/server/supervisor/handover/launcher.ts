// Who waits for the service: whoever started it (npm, a container, a shell) knows one process number and
// takes its end for the end of the service. So the first process does not go when it hands over: it becomes a
// small shell that passes signals on to its successors, which form one process group, and ends as the last of
// them ends, with its exit code. Two pipes tie them together: on one the last one tells its exit code, and
// all of them being gone is its end; the other ends when the shell is gone, and then the service stops too.
// Under systemd, which is told the new process, nothing of this is needed.

import { closeSync, existsSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import type { LauncherEnds } from './inheritance.ts';
import type { ProcessCalls } from './process-calls.ts';

const shell = '/bin/sh';
/** One digit each: a shell need not know descriptors with more. */
const codeFd = 3;
const lifeFd = 4;

/**
 * `wait` is interrupted by signals and `read` need not be; so a subshell reads. All that are gone without a
 * word were killed, which is 137 to a shell.
 */
const waiting = `
for name in TERM INT HUP USR2; do trap "kill -s $name -- -$1" "$name"; done
(
  trap '' TERM INT HUP USR2
  code=137
  while read -r said; do code=$said; done <&${codeFd}
  exit "$code"
) ${lifeFd}>&- &
reader=$!
exec ${codeFd}<&-
code=137
while kill -0 "$reader" 2>/dev/null; do
  wait "$reader"
  code=$?
done
wait "$reader" 2>/dev/null
last=$?
[ "$last" -eq 127 ] || code=$last
exit "$code"
`;

/** The ends of both pipes that the first process keeps. */
interface OwnEnds {
  readonly code: number;
  readonly life: number;
}

export class Launcher {
  readonly #calls: ProcessCalls;
  /** Those of a successor; nothing in the process that was started first. */
  readonly #inherited: LauncherEnds | undefined;
  #own: OwnEnds | undefined;
  #isHandedOver = false;

  constructor(calls: ProcessCalls, inherited: LauncherEnds | undefined) {
    this.#calls = calls;
    this.#inherited = inherited;
  }

  /** Whether this is the process that whoever started the service knows. */
  get isFirst(): boolean {
    return this.#inherited === undefined;
  }

  /** The ends to leave to a successor; a text is the reason why there are none. */
  open(): LauncherEnds | string {
    if (this.#inherited !== undefined) return this.#inherited;
    if (!existsSync(shell)) return `There is no ${shell}, which would stay as the parent of the new process.`;
    const code = this.#calls.pipe();
    const life = this.#calls.pipe();
    if (code === undefined || life === undefined) return 'The system gives no more descriptors.';
    this.#own = { code: code.read, life: life.write };
    return { code: code.write, life: life.read };
  }

  /** The successor has its own by now, or never will; with `all` ours are given up too. */
  close(ends: LauncherEnds, all: boolean): void {
    if (this.#own === undefined) return;
    const unneeded = all ? [ends.code, ends.life, this.#own.code, this.#own.life] : [ends.code, ends.life];
    for (const fd of unneeded) closeSync(fd);
    if (all) this.#own = undefined;
  }

  /**
   * From now on this process is the one whose exit code counts, and it stops when the launcher is gone.
   * Resolves with false when it is gone already, for it was killed while it handed over.
   */
  async takeOver(onLauncherGone: () => void): Promise<boolean> {
    if (this.#inherited === undefined) return true;
    const { code, life } = this.#inherited;
    process.once('exit', (exitCode) => {
      if (this.#isHandedOver) return;
      try {
        writeSync(code, `${exitCode}\n`);
      } catch {
        // Nobody waits any more.
      }
    });
    const line = new Socket({ fd: life, readable: true, writable: false }).unref();
    line.on('error', onLauncherGone).on('close', onLauncherGone).resume();
    await turns(2);
    return !line.closed;
  }

  /** The successor's exit code counts now. The first process turns into the launcher and never returns. */
  async handOver(group: number): Promise<void> {
    this.#isHandedOver = true;
    if (this.#own === undefined) return;
    const { code, life } = this.#own;
    this.#calls.adoptOrphans();
    if (!this.#calls.keepAs(code, codeFd) || !this.#calls.keepAs(life, lifeFd))
      throw new Error('This process cannot become the launcher.');
    // What Node has not told yet when it turns into the shell is lost. So from here on a signal ends this
    // process, and the service with it; what came before is passed on, which Node does within two turns.
    for (const number of [constants.signals.SIGTERM, constants.signals.SIGINT]) this.#calls.dieOf(number);
    await turns(2);
    process.execve?.(shell, ['sh', '-c', waiting, 'sluice', String(group)], process.env);
  }
}

/** Of the event loop, in which what has happened is heard. */
const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};
