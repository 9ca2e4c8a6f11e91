// Restarts as the main thread runs them: requests for one, reasons to refuse it, the successor while it
// starts, and the time in which this process drains. Until this process exits it can resume the service: a
// successor that dies right after it has taken over must not take the service down.

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
  /** Undefined when handing over is impossible, and under systemd, which tracks the new process itself. */
  readonly launcher: Launcher | undefined;
  readonly notifier: Notifier;
  /** Whether this process has sent READY=1 to systemd. */
  readonly isReadyAnnounced: () => boolean;
  readonly isStopping: () => boolean;
  /** Why the service cannot be restarted now, or undefined. */
  readonly refusal: () => string | undefined;
  /** Another process is in charge. */
  readonly onHandedOver: (successor: number) => void;
}

/** What this process does once it has drained. */
export type AfterDraining =
  | { readonly kind: 'leave' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'resume'; readonly problem: string };

export class Restarts {
  readonly #parts: RestartParts;
  /** API requests that wait for the outcome of a restart. */
  #waiting: number[] = [];
  #successor: SuccessorProcess | undefined;
  /** The successor, once this process has handed over to it. */
  #inCharge: SuccessorProcess | undefined;
  #isStopForwarded = false;
  #isUnderWay = false;

  constructor(parts: RestartParts) {
    this.#parts = parts;
  }

  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  /** True when the signal was meant for the successor: its sender may know only this process. */
  forwardSignal(signal: NodeJS.Signals): boolean {
    if (this.#inCharge === undefined) return false;
    this.#isStopForwarded ||= signal === 'SIGTERM' || signal === 'SIGINT';
    // Later processes got the signal from the launcher already.
    if (this.#parts.launcher?.isFirst === true) this.#inCharge.signal(signal);
    return true;
  }

  /** For the command line or the web interface; the reply waits for the outcome. */
  async answer(requestId: number): Promise<void> {
    const problem = this.#refusal();
    if (problem !== undefined)
      return this.#parts.api.post({ kind: 'restarted', requestId, outcome: { ok: false, problem } });
    this.#waiting.push(requestId);
    return this.restart('requested over the API');
  }

  async restart(occasion: string): Promise<void> {
    const { log } = this.#parts;
    const refusal = this.#refusal();
    if (refusal !== undefined) return log.warn(`Not restarted (${occasion}): ${refusal}`);
    const problem = await this.#handOver();
    if (problem !== undefined)
      log.error(`Not restarted (${occasion}): ${problem} This process keeps serving.`);
    return undefined;
  }

  /** Ends a successor that is still starting. */
  async kill(): Promise<void> {
    await this.#successor?.kill();
  }

  /**
   * Call after everything has drained and before any socket is closed. A successor that has not exited may
   * still be dying: it must have confirmed that it is in charge.
   */
  async afterDraining(): Promise<AfterDraining> {
    const inCharge = this.#inCharge;
    const problem = inCharge && (await problemOf(inCharge));
    if (problem === undefined) {
      inCharge?.leave();
      return { kind: 'leave' };
    }
    const isToStop = this.#isStopForwarded;
    this.#inCharge = undefined;
    this.#isStopForwarded = false;
    this.#isUnderWay = false;
    this.#parts.launcher?.abortHandover();
    return isToStop ? { kind: 'stop' } : { kind: 'resume', problem };
  }

  #refusal(): string | undefined {
    const { libc, lock } = this.#parts;
    if (this.#isUnderWay) return 'A restart is already under way.';
    const refusal = this.#parts.refusal();
    if (refusal !== undefined) return refusal;
    if (libc === undefined || lock.fd === undefined)
      return 'Handing over needs Linux and koffi; stop the service and start it again.';
    return undefined;
  }

  /** The reason for a failure; everything is then as before. */
  async #handOver(): Promise<string | undefined> {
    const { dataDir, lock, control, dns, api, sockets, launcher, log, notifier } = this.#parts;
    this.#isUnderWay = true;
    if (this.#parts.isReadyAnnounced())
      notifier.notify('RELOADING=1', `MONOTONIC_USEC=${monotonicMicroseconds()}`);
    await dns.saveCaches();
    const handed = await handOver({
      // `#refusal` has refused when the lock has no descriptor.
      inheritable: { dataDir, lock: lock.fd ?? -1, control, web: sockets.inheritable, dns: dns.inheritable },
      launcher,
      log,
      onStarted: (successor) => (this.#successor = successor),
      closeApi: () => api.handOver(),
      reopenApi: (problem) => this.#reopenApi(problem),
    });
    if (this.#parts.isStopping()) return undefined;
    this.#successor = undefined;
    if ('successor' in handed) {
      this.#release(handed.successor);
      return undefined;
    }
    this.#isUnderWay = false;
    this.#answerWaiting(handed.problem);
    if (this.#parts.isReadyAnnounced()) notifier.notify('READY=1');
    return handed.problem;
  }

  /** A service that was not ready yet stays so until the successor answers DNS and sends READY=1 itself. */
  #release(inCharge: SuccessorProcess): void {
    this.#inCharge = inCharge;
    const ready = this.#parts.isReadyAnnounced() ? ['READY=1'] : [];
    this.#parts.notifier.notify(`MAINPID=${inCharge.pid}`, ...ready);
    inCharge.send({ kind: 'released' });
    this.#answerWaiting(undefined);
    this.#parts.onHandedOver(inCharge.pid);
  }

  async #reopenApi(problem: string): Promise<void> {
    this.#answerWaiting(problem);
    await this.#parts.api.stop();
    if (!this.#parts.isStopping()) this.#parts.api.start();
  }

  #answerWaiting(problem: string | undefined): void {
    const outcome = problem === undefined ? ({ ok: true } as const) : ({ ok: false, problem } as const);
    for (const requestId of this.#waiting) this.#parts.api.post({ kind: 'restarted', requestId, outcome });
    this.#waiting = [];
  }
}

/** Undefined when the successor is in charge, or ended cleanly; otherwise why not, and it is dead then. */
async function problemOf(inCharge: SuccessorProcess): Promise<string | undefined> {
  const problem = await inCharge.until('in charge');
  await nextEvents();
  if (inCharge.end?.inOrder === true) return undefined;
  if (problem !== undefined) await inCharge.kill();
  return problem ?? inCharge.end?.text;
}
