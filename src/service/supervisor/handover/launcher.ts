// The launcher: the process that npm, a container or a shell has started and waits for. They know only its
// pid and treat its end as the end of the service. So the first process does not exit when it hands over: it
// becomes a small shell that forwards signals to its successors, which form one process group, and exits with
// the exit code of the last one. Two pipes connect them: successors write their exit code to the first, and
// its end-of-file means that all of them have ended; the second closes when the shell ends, and then the
// service stops too. Under systemd, which tracks the new process by MAINPID, no launcher is needed.

import { closeSync, existsSync, realpathSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import { basename } from 'node:path';
import { nextEvents } from './event-loop.ts';
import type { LauncherEnds } from './inheritance.ts';
import type { ProcessCalls } from './process-calls.ts';

const shell = '/bin/sh';
/** One digit each: POSIX shells need not support longer descriptors. */
const codeFd = 3;
const lifeFd = 4;
/** The exit code of a process that was killed (128 + SIGKILL), as shells report it. */
const killedCode = 137;

/**
 * Signals that arrive while the shell starts stay blocked by the mask that it inherits; the first loop ends
 * when SIGURG, which is harmless, gets through. Signals interrupt `wait` but not always `read`, so a subshell
 * reads.
 */
const script = `
for name in TERM INT HUP USR2; do trap "kill -s $name -- -$1 2>/dev/null" "$name"; done
trap unblocked=yes URG
kill -s URG $$
until [ "$unblocked" ]; do sleep 0.1 & wait "$!"; done
(
  trap '' TERM INT HUP USR2
  code=${killedCode}
  while read -r line; do code=$line; done <&${codeFd}
  exit "$code"
) ${lifeFd}>&- &
reader=$!
exec ${codeFd}<&-
code=${killedCode}
while kill -0 "$reader" 2>/dev/null; do
  wait "$reader"
  code=$?
done
wait "$reader" 2>/dev/null
last=$?
[ "$last" -eq 127 ] || code=$last
exit "$code"
`;

const { SIGTERM, SIGINT, SIGHUP, SIGUSR2, SIGURG } = constants.signals;

/** The ends of both pipes that the first process keeps. */
interface OwnEnds {
  readonly code: number;
  readonly life: number;
}

export class Launcher {
  readonly #calls: ProcessCalls;
  /** Set in a successor; undefined in the process that was started first. */
  readonly #inherited: LauncherEnds | undefined;
  #own: OwnEnds | undefined;
  #isHandedOver = false;

  constructor(calls: ProcessCalls, inherited: LauncherEnds | undefined) {
    this.#calls = calls;
    this.#inherited = inherited;
  }

  /** Whether this is the process that the service was started as. */
  get isFirst(): boolean {
    return this.#inherited === undefined;
  }

  /** The pipe ends for a successor; a string is the reason for a failure. */
  open(): LauncherEnds | string {
    if (this.#inherited !== undefined) return this.#inherited;
    if (!existsSync(shell)) return `There is no ${shell}, which would stay as the parent of the new process.`;
    const code = this.#calls.pipe();
    const life = this.#calls.pipe();
    if (code === undefined || life === undefined)
      return 'No file descriptors are left; raise the limit (LimitNOFILE or ulimit -n).';
    this.#own = { code: code.read, life: life.write };
    return { code: code.write, life: life.read };
  }

  /** Closes the ends that the successor has inherited. */
  keepOwnEnds(ends: LauncherEnds): void {
    if (this.#own !== undefined) for (const fd of [ends.code, ends.life]) closeSync(fd);
  }

  /** There is no successor (any more): this process stays in charge. */
  abortHandover(): void {
    if (this.#inherited !== undefined) return this.#writeExitCode(killedCode);
    if (this.#own !== undefined) for (const fd of [this.#own.code, this.#own.life]) closeSync(fd);
    this.#own = undefined;
    return undefined;
  }

  /**
   * From now on the exit code of this process is the service's, and it stops when the launcher ends.
   * Resolves with false when the launcher was killed during the handover.
   */
  async takeOver(onLauncherGone: () => void): Promise<boolean> {
    if (this.#inherited === undefined) return true;
    process.once('exit', (exitCode) => {
      if (!this.#isHandedOver) this.#writeExitCode(exitCode);
    });
    const life = new Socket({ fd: this.#inherited.life, readable: true, writable: false }).unref();
    life.on('error', onLauncherGone).on('close', onLauncherGone).resume();
    await nextEvents();
    return !life.closed;
  }

  /** The successor's exit code counts from now on; the first process becomes the launcher for good. */
  async handOver(group: number): Promise<void> {
    this.#isHandedOver = true;
    if (this.#own === undefined) return;
    const { code, life } = this.#own;
    this.#calls.adoptOrphans();
    this.#holdSignals();
    // Lets Node forward earlier signals. This must precede `keepAs`, which reuses the descriptors of Node's
    // own event loop.
    await nextEvents();
    if (!this.#calls.keepAs(code, codeFd) || !this.#calls.keepAs(life, lifeFd))
      throw new Error('This process cannot become the launcher.');
    process.execve?.(shell, ['sh', '-c', script, 'sluice', String(group)], process.env);
  }

  /**
   * Signals that Node has not delivered when it becomes the shell would be lost. So from here on SIGTERM and
   * SIGINT end this process, and with it the service, unless the mask can hold them for the shell.
   */
  #holdSignals(): void {
    for (const number of [SIGTERM, SIGINT]) this.#calls.dieOf(number);
    if (clearsItsMask(shell)) this.#calls.block([SIGTERM, SIGINT, SIGHUP, SIGUSR2, SIGURG]);
  }

  #writeExitCode(exitCode: number): void {
    if (this.#inherited === undefined) return;
    try {
      writeSync(this.#inherited.code, `${exitCode}\n`);
    } catch {
      // The launcher is gone.
    }
  }
}

/**
 * dash clears the signal mask that it inherits once it has waited for a process. Others, such as bash and
 * busybox, keep the mask: for those signals must not be blocked.
 */
function clearsItsMask(path: string): boolean {
  return basename(realpathSync(path)) === 'dash';
}
