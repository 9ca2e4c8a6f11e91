// Who waits for the service: whoever started it (npm, a container, a shell) knows one process number and
// takes its end for the end of the service. So the first process does not go when it hands over: it becomes a
// small shell that passes signals on to its successors, which form one process group, and ends as the last of
// them ends, with its exit code. Two pipes tie them together: on one the last one tells its exit code, and
// all of them being gone is its end; the other ends when the shell is gone, and then the service stops too.
// Under systemd, which is told the new process, nothing of this is needed.

import { closeSync, existsSync, realpathSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import { basename } from 'node:path';
import { nextEvents } from './event-loop.ts';
import type { LauncherEnds } from './inheritance.ts';
import type { ProcessCalls } from './process-calls.ts';

const shell = '/bin/sh';
/** One digit each: a shell need not know descriptors with more. */
const codeFd = 3;
const lifeFd = 4;
/** What a shell says of a process that was killed, and could not say anything itself. */
const killedCode = 137;

/**
 * Signals that came while the shell started wait behind the mask that it was started with; the loop ends when
 * there is none (SIGURG, which does no harm, got through). Signals interrupt `wait` but not always `read`: so
 * a subshell reads.
 */
const waiting = `
for name in TERM INT HUP USR2; do trap "kill -s $name -- -$1 2>/dev/null" "$name"; done
trap unblocked=yes URG
kill -s URG $$
until [ "$unblocked" ]; do sleep 0.1 & wait "$!"; done
(
  trap '' TERM INT HUP USR2
  code=${killedCode}
  while read -r said; do code=$said; done <&${codeFd}
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

  /** The successor has its own ends by now. */
  keepOwnEnds(ends: LauncherEnds): void {
    if (this.#own !== undefined) for (const fd of [ends.code, ends.life]) closeSync(fd);
  }

  /** There is no successor, or none any more: this process is the one that counts, as before. */
  takeBack(): void {
    if (this.#inherited !== undefined) return this.#say(killedCode);
    if (this.#own !== undefined) for (const fd of [this.#own.code, this.#own.life]) closeSync(fd);
    this.#own = undefined;
    return undefined;
  }

  /**
   * From now on this process is the one whose exit code counts, and it stops when the launcher is gone.
   * Resolves with false when it is gone already, for it was killed while it handed over.
   */
  async takeOver(onLauncherGone: () => void): Promise<boolean> {
    if (this.#inherited === undefined) return true;
    process.once('exit', (exitCode) => {
      if (!this.#isHandedOver) this.#say(exitCode);
    });
    const line = new Socket({ fd: this.#inherited.life, readable: true, writable: false }).unref();
    line.on('error', onLauncherGone).on('close', onLauncherGone).resume();
    await nextEvents();
    return !line.closed;
  }

  /** The successor's exit code counts now. The first process turns into the launcher and never returns. */
  async handOver(group: number): Promise<void> {
    this.#isHandedOver = true;
    if (this.#own === undefined) return;
    const { code, life } = this.#own;
    this.#calls.adoptOrphans();
    this.#holdSignals();
    // What came before is passed on, which Node does when it hears of it. This must come before `keepAs`: the
    // numbers that the shell wants are those of Node's own event loop, which hears nothing after that.
    await nextEvents();
    if (!this.#calls.keepAs(code, codeFd) || !this.#calls.keepAs(life, lifeFd))
      throw new Error('This process cannot become the launcher.');
    process.execve?.(shell, ['sh', '-c', waiting, 'sluice', String(group)], process.env);
  }

  /**
   * What Node has not told yet when it turns into the shell is lost. So from here on a signal to end ends
   * this process, and the service with it, unless it can wait for the shell.
   */
  #holdSignals(): void {
    for (const number of [SIGTERM, SIGINT]) this.#calls.dieOf(number);
    if (clearsItsMask(shell)) this.#calls.block([SIGTERM, SIGINT, SIGHUP, SIGUSR2, SIGURG]);
  }

  #say(exitCode: number): void {
    if (this.#inherited === undefined) return;
    try {
      writeSync(this.#inherited.code, `${exitCode}\n`);
    } catch {
      // The launcher is gone.
    }
  }
}

/**
 * dash gets every signal once it has waited for a process, whatever mask it was started with. Others, as bash
 * and busybox, keep the mask for good: to those a signal must come when it comes.
 */
function clearsItsMask(path: string): boolean {
  return basename(realpathSync(path)) === 'dash';
}
