// Restarts as the main thread sees them: who asked for one, why there may be none just now, the new process
// while it comes up, and the time after it, in which this process drains. Until it leaves it can take
// everything back: a successor that dies right after it has taken over must not take the service along.

import { monotonicMicroseconds } from '#platform/time';
import type { ApiThread } from './api-thread.ts';
import type { DnsService } from './dns-service.ts';
import { nextEvents } from './handover/event-loop.ts';
import { handOver } from './handover/hand-over.ts';
import type { Launcher } from './handover/launcher.ts';
import type { Notifier } from './handover/notify.ts';
import type { SuccessorProcess } from './handover/successor-process.ts';
import type { SocketsKeeper } from './sockets-keeper.ts';
import type { Supervision } from './supervision.ts';

export interface RestartParts extends Supervision {
  readonly dns: DnsService;
  readonly api: ApiThread;
  readonly sockets: SocketsKeeper;
  /** Nothing where there is no handing over, or systemd is told of it. */
  readonly launcher: Launcher | undefined;
  readonly notifier: Notifier;
  /** Whether systemd has heard from this process that the service is ready. */
  readonly isReadyAnnounced: () => boolean;
  readonly isStopping: () => boolean;
  /** Why the service as it is cannot be restarted, or nothing. */
  readonly refusal: () => string | undefined;
  /** Another process is in charge. */
  readonly onHandedOver: (successor: number) => void;
}

/** What becomes of this process once it has drained. */
export type AfterDraining =
  | { readonly kind: 'leave' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'go on'; readonly problem: string };

export class Restarts {
  readonly #parts: RestartParts;
  /** The replies that wait for the outcome of a restart. */
  #waiting: number[] = [];
  #successor: SuccessorProcess | undefined;
  /** The process that is in charge in our place. */
  #heir: SuccessorProcess | undefined;
  #isHeirToStop = false;
  #isUnderWay = false;

  constructor(parts: RestartParts) {
    this.#parts = parts;
  }

  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  /** True when the signal is meant for the successor: its sender may know this process alone. */
  passOn(signal: NodeJS.Signals): boolean {
    if (this.#heir === undefined) return false;
    this.#isHeirToStop ||= signal === 'SIGTERM' || signal === 'SIGINT';
    // To all others the launcher has sent it already.
    if (this.#parts.launcher?.isFirst === true) this.#heir.signal(signal);
    return true;
  }

  /** For the command line or the web interface; the reply waits for the outcome. */
  async answer(reply: number): Promise<void> {
    const problem = this.#refusal();
    if (problem !== undefined)
      return this.#parts.api.post({ kind: 'restarted', reply, outcome: { ok: false, problem } });
    this.#waiting.push(reply);
    return this.restart('asked for over the API');
  }

  async restart(occasion: string): Promise<void> {
    const { log } = this.#parts;
    const refusal = this.#refusal();
    if (refusal !== undefined) return log.warn(`Not restarted (${occasion}): ${refusal}`);
    const problem = await this.#handOver();
    if (problem !== undefined) log.error(`Not restarted (${occasion}): ${problem} This process goes on.`);
    return undefined;
  }

  /** Ends a successor that is still coming up. */
  async kill(): Promise<void> {
    await this.#successor?.kill();
  }

  /**
   * To be asked when everything here has drained, and before any socket is closed. Not to have heard of the
   * successor's end says little, for a process may take a while to die: it must have said that it is in
   * charge.
   */
  async afterDraining(): Promise<AfterDraining> {
    const heir = this.#heir;
    const problem = heir && (await problemOf(heir));
    if (problem === undefined) {
      heir?.leave();
      return { kind: 'leave' };
    }
    const isToStop = this.#isHeirToStop;
    this.#heir = undefined;
    this.#isHeirToStop = false;
    this.#isUnderWay = false;
    this.#parts.launcher?.takeBack();
    return isToStop ? { kind: 'stop' } : { kind: 'go on', problem };
  }

  #refusal(): string | undefined {
    const { libc, lock } = this.#parts;
    if (this.#isUnderWay) return 'A restart is under way already.';
    const refusal = this.#parts.refusal();
    if (refusal !== undefined) return refusal;
    if (libc === undefined || lock.fd === undefined)
      return 'Handing over needs Linux and koffi; stop the service and start it again.';
    return undefined;
  }

  /** The reason when it failed; then everything is as before. */
  async #handOver(): Promise<string | undefined> {
    const { dataDir, lock, control, dns, api, sockets, launcher, log, notifier } = this.#parts;
    this.#isUnderWay = true;
    if (this.#parts.isReadyAnnounced())
      notifier.tell('RELOADING=1', `MONOTONIC_USEC=${monotonicMicroseconds()}`);
    await dns.saveCaches();
    const handed = await handOver({
      // Without a descriptor of the lock `#refusal` has spoken.
      estate: { dataDir, lock: lock.fd ?? -1, control, web: sockets.estate, dns: dns.estate },
      launcher,
      log,
      onBegun: (successor) => (this.#successor = successor),
      closeApi: () => api.handOver(),
      reopenApi: (problem) => this.#reopenApi(problem),
    });
    if (this.#parts.isStopping()) return undefined;
    this.#successor = undefined;
    if ('successor' in handed) {
      this.#leaveTo(handed.successor);
      return undefined;
    }
    this.#isUnderWay = false;
    this.#answerWaiting(handed.problem);
    if (this.#parts.isReadyAnnounced()) notifier.tell('READY=1');
    return handed.problem;
  }

  /** A service that was not ready is ready when the successor says so: only DNS that is answered counts. */
  #leaveTo(heir: SuccessorProcess): void {
    this.#heir = heir;
    const ready = this.#parts.isReadyAnnounced() ? ['READY=1'] : [];
    this.#parts.notifier.tell(`MAINPID=${heir.pid}`, ...ready);
    heir.tell({ kind: 'yours' });
    this.#answerWaiting(undefined);
    this.#parts.onHandedOver(heir.pid);
  }

  async #reopenApi(problem: string): Promise<void> {
    this.#answerWaiting(problem);
    await this.#parts.api.stop();
    if (!this.#parts.isStopping()) this.#parts.api.start();
  }

  #answerWaiting(problem: string | undefined): void {
    const outcome = problem === undefined ? ({ ok: true } as const) : ({ ok: false, problem } as const);
    for (const reply of this.#waiting) this.#parts.api.post({ kind: 'restarted', reply, outcome });
    this.#waiting = [];
  }
}

/** Why it is not in charge, and then it is gone; nothing when it is, or has ended because it was asked to. */
async function problemOf(heir: SuccessorProcess): Promise<string | undefined> {
  const problem = await heir.until('in charge');
  await nextEvents();
  if (heir.end?.inOrder === true) return undefined;
  if (problem !== undefined) await heir.kill();
  return problem ?? heir.end?.text;
}
