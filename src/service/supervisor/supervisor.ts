// The main thread: it supervises threads, sockets and signals, and hands over to the next process on a
// restart. It serves no request, opens no database and answers no query, so that faults elsewhere do not end
// it.

import { setTimeout as sleep } from 'node:timers/promises';
import { type DnsPlan, readPlan } from '#control/plan';
import type { FromApi } from '../messages/messages.ts';
import type { Listening } from '#platform/sockets';
import type { ThreadStatus } from '#platform/threads';
import { answerApiRequest } from './api-requests.ts';
import { ApiThread } from './api-thread.ts';
import type { DnsService } from './dns-service.ts';
import type { Launcher } from './handover/launcher.ts';
import type { Notifier } from './handover/notify.ts';
import { Predecessor } from './handover/predecessor.ts';
import { HistoryThread } from './history-thread.ts';
import { endpointText } from './listening-text.ts';
import { Readiness } from './readiness.ts';
import { Restarts } from './restarts.ts';
import { onSignals } from './signals.ts';
import { SocketsKeeper } from './sockets-keeper.ts';
import type { ServeEnd, Supervision } from './supervision.ts';
import { BackgroundTasks } from './background-tasks.ts';

export interface SupervisorParts extends Supervision {
  readonly dns: DnsService;
  /** Undefined when handing over is impossible, and under systemd, which tracks the new process itself. */
  readonly launcher: Launcher | undefined;
  readonly notifier: Notifier;
  /** Called when this process becomes the one in charge. */
  readonly onInCharge: () => void;
}

export type SupervisorEnd =
  | ServeEnd
  /** Another process serves now. */
  | { readonly end: 'handed over'; readonly successor: number };

/** How long a port may be free before it is opened. */
const retryListenEveryMs = 3_000;
/** A predecessor decides at once unless it is suspended (SIGSTOP). */
const maxDecisionMs = 5_000;

export class Supervisor {
  readonly #parts: SupervisorParts;
  readonly #tasks: BackgroundTasks;
  readonly #sockets: SocketsKeeper;
  readonly #api: ApiThread;
  readonly #readiness: Readiness;
  readonly #restarts: Restarts;
  readonly #predecessor: Predecessor | undefined;
  /** Resolves when this process is in charge; with false if the launcher was killed in the meantime. */
  readonly #inCharge: Promise<boolean>;
  #history: HistoryThread;
  #ended = Promise.withResolvers<SupervisorEnd>();
  /** Why the API is unavailable, as last reported. */
  #apiProblem: string | undefined;
  #isReadySent = false;
  #isStopping = false;

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
    this.#tasks = new BackgroundTasks(parts.log);
    this.#sockets = new SocketsKeeper(parts.libc);
    this.#sockets.inherit(parts.inheritance?.web ?? []);
    this.#predecessor = parts.inheritance === undefined ? undefined : new Predecessor();
    this.#api = new ApiThread(parts, {
      onRequest: (message) => this.#onApiRequest(message),
      onReady: () => this.#tasks.run('take over', this.#onReady()),
      onApiUnavailable: (problem) => this.#onApiUnavailable(problem),
      onStatus: () => this.publishThreads(),
      listening: () => this.#listening(),
      threads: () => this.#threads(),
      dnsMemory: () => this.#parts.dns.memory,
    });
    this.#history = this.#createHistory();
    this.#restarts = new Restarts({
      ...parts,
      api: this.#api,
      sockets: this.#sockets,
      isReadyAnnounced: () => this.#readiness.isAnnounced,
      isStopping: () => this.#isStopping,
      refusal: () => this.#refusal(),
      onHandedOver: (successor) => this.#ended.resolve({ end: 'handed over', successor }),
    });
    this.#readiness = new Readiness({
      log: parts.log,
      notifier: parts.notifier,
      unanswered: () => parts.dns.unanswered,
      listening: () => this.#listeningText(),
    });
    // In every phase: a predecessor that dies during the handover also leaves this process in charge.
    this.#inCharge = this.#predecessor?.released.then(() => this.#assumeControl()) ?? Promise.resolve(true);
  }

  /** Runs until a signal stops it, it fails, or another process serves. */
  async run(): Promise<SupervisorEnd> {
    const { log, dns, version, dataDir } = this.#parts;
    const timers = [
      setInterval(() => this.#tasks.run('open listeners', this.#retryListening()), retryListenEveryMs),
      setInterval(
        () => this.#tasks.run('update the listening addresses', this.#rescan()),
        retryListenEveryMs,
      ),
    ];
    const restarts = this.#restarts;
    const unsubscribe = onSignals({
      stop: (signal) => restarts.forwardSignal(signal) || this.#stop(signal),
      restart: (signal) =>
        restarts.forwardSignal(signal) || this.#tasks.run('restart', restarts.restart(signal)),
      replace: (signal) =>
        restarts.forwardSignal(signal) || this.#tasks.run('replace threads', this.#replaceThreads(signal)),
    });
    // Logged after signal handlers are set: a signal after this line ends the service cleanly.
    log.info('Starting', { version, data: dataDir });
    this.#tasks.run('start', this.#startThreads(), (problem) => this.#fail(problem));
    const end = await this.#waitForEnd();
    for (const timer of timers) clearInterval(timer);
    this.#sockets.close();
    dns.close();
    // After a handover this process forwards signals until the launcher does.
    if (end.end !== 'handed over') unsubscribe();
    log.info(end.end === 'handed over' ? 'Handed over' : 'Stopped');
    return end;
  }

  /** If the successor dies while this process still drains, this process resumes the service. */
  async #waitForEnd(): Promise<SupervisorEnd> {
    for (;;) {
      const end = await this.#ended.promise;
      await this.#endThreads(end.end === 'handed over');
      if (end.end !== 'handed over') {
        await this.#awaitDecision();
        // The open channel would keep this process alive. After a failure the reason is still to be sent.
        if (end.end === 'stopped') this.#predecessor?.leave();
        return end;
      }
      const after = await this.#restarts.afterDraining();
      if (after.kind === 'stop') return { end: 'stopped' };
      if (after.kind === 'leave') return end;
      this.#resume(after.problem);
    }
  }

  async #endThreads(isHandedOver: boolean): Promise<void> {
    this.#isStopping = true;
    if (!isHandedOver) this.#parts.notifier.notify('STOPPING=1');
    await this.#restarts.kill();
    await Promise.all([this.#api.stop(), this.#parts.dns.drain(!isHandedOver)]);
    await this.#history.stop();
  }

  /** A process stopped after it sent `ready` may be in charge already: wait for the decision. */
  async #awaitDecision(): Promise<void> {
    if (this.#predecessor?.isDeciding === true) await Promise.race([this.#inCharge, sleep(maxDecisionMs)]);
  }

  #resume(problem: string): void {
    const { dns, log, notifier, onInCharge } = this.#parts;
    log.error(
      `The new process ended while this one was still draining: ${problem} This process serves again.`,
    );
    this.#isStopping = false;
    this.#ended = Promise.withResolvers();
    onInCharge();
    notifier.notify(`MAINPID=${process.pid}`);
    this.#history = this.#createHistory();
    this.#setHistoryPlan(this.#plan());
    this.#tasks.run('answer queries again', dns.resume());
    this.#api.start();
  }

  #createHistory(): HistoryThread {
    return new HistoryThread(this.#parts, {
      onStatus: () => this.#publishThreadsToApi(),
      connectApi: (connection) => this.#api.post({ kind: 'history', connection }, [connection.port]),
      hasRecords: () => this.#parts.dns.hasRecords,
      dnsMemory: () => this.#parts.dns.lastMemory,
    });
  }

  /** From now on this process is the one in charge. */
  async #assumeControl(): Promise<boolean> {
    this.#parts.onInCharge();
    const taken = this.#parts.launcher?.takeOver(() => this.#onLauncherGone());
    await this.#predecessor?.release();
    return (await taken) !== false;
  }

  /** Call when a thread starts, ends or changes its state. */
  publishThreads(): void {
    this.#watchStart();
    this.#history.updateDnsMemory();
    this.#publishThreadsToApi();
    this.#publishListening();
  }

  /** If a thread of a successor dies during the start, the predecessor keeps the service. */
  #watchStart(): void {
    if (!this.#isStartingUp) return;
    const dead = this.#threads().find(({ restarts }) => restarts > 0);
    if (dead !== undefined) this.#fail(`Its thread ${dead.name} does not start: ${dead.lastFailure ?? ''}`);
  }

  get #isStartingUp(): boolean {
    return this.#predecessor?.isWaiting === true && !this.#isReadySent;
  }

  #publishThreadsToApi(): void {
    this.#api.post({ kind: 'threads', threads: this.#threads(), dnsMemory: this.#parts.dns.memory });
  }

  /** A successor starts DNS first, and the api thread once the predecessor has closed the databases. */
  async #startThreads(): Promise<void> {
    const { dns } = this.#parts;
    const plan = this.#plan();
    this.#setHistoryPlan(plan);
    const starting = plan === undefined ? [] : dns.startWith(plan);
    if (this.#predecessor === undefined) return this.#api.start();
    const failed = await starting;
    if (failed.length > 0) return this.#fail(`These threads do not start: ${failed.join(', ')}.`);
    this.#predecessor.send({ kind: 'dns' });
    await this.#predecessor.databases;
    if (!this.#isStopping) this.#api.start();
    return undefined;
  }

  #setHistoryPlan(plan: DnsPlan | undefined): void {
    if (plan !== undefined) void this.#history.setPlan(plan.history);
  }

  /** The stored plan, with the current values of the environment and the settings file. */
  #plan(): DnsPlan | undefined {
    const { dataDir, sources, version } = this.#parts;
    const stored = readPlan(dataDir, version);
    const listen = sources.pinned.get('dns.listen')?.value;
    const workers = sources.pinned.get('dns.workers')?.value;
    return (
      stored && {
        ...stored,
        ...(typeof listen === 'string' && { listen, fallsBack: false }),
        ...(typeof workers === 'number' && { workers }),
      }
    );
  }

  /** Runs once per api thread; only the first of a process reports `ready` to the predecessor. */
  async #onReady(): Promise<void> {
    if (this.#isStopping) return;
    if (!this.#isReadySent) this.#predecessor?.send({ kind: 'ready' });
    this.#isReadySent = true;
    if (!(await this.#inCharge)) return;
    this.#history.connect();
    this.#apiProblem = undefined;
    this.#readiness.onServing();
  }

  #listeningText(): string {
    const { open, dns } = this.#listening();
    const answered = dns.filter(({ isAnswered }) => isAnswered);
    return [...open.map(({ listener }) => listener), ...answered].map(endpointText).join(' ');
  }

  /** A process manager knows only the launcher's pid and treats its end as the end of the service. */
  #onLauncherGone(): void {
    if (!this.#isStopping)
      this.#parts.log.error('The launcher, the first process of the service, was killed: the service stops.');
    this.#stop('the end of the launcher');
  }

  /**
   * DNS keeps running when the API cannot start. The service is then ready as well, or a process manager that
   * waits for READY=1 would end it. A successor ends instead: its predecessor still serves.
   */
  #onApiUnavailable(problem: string): void {
    const { dns, log } = this.#parts;
    const isAlone = this.#predecessor?.isWaiting !== true && dns.isWanted;
    if (!isAlone && !this.#api.wasReady) return this.#fail(problem);
    if (this.#apiProblem === problem) return undefined;
    this.#apiProblem = problem;
    const text = `DNS is answered with the last rules, but without API and web interface: ${problem}`;
    log.error(`${text} The service retries.`, {
      dns: this.#listening().dns.map(endpointText).join(' '),
    });
    this.#readiness.onServingDnsOnly(text);
    return undefined;
  }

  /** Ends the program with this problem. */
  #fail(problem: string): void {
    this.#ended.resolve({ end: 'failed', problem });
  }

  /**
   * Terminates and replaces all threads, as if they had died. The api thread comes last: its start takes
   * processor time that the dns workers need to restart fast.
   */
  async #replaceThreads(signal: string): Promise<void> {
    // The threads are new, and a thread that dies now would fail the restart.
    if (this.#isStartingUp) return;
    const reason = `requested by the signal ${signal}`;
    await this.#parts.dns.replace(reason);
    this.#history.replace(reason);
    if (!this.#isStopping) this.#api.replace(reason);
  }

  #stop(signal: string): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#parts.log.info('Stopping', { signal });
    this.#ended.resolve({ end: 'stopped' });
  }

  #refusal(): string | undefined {
    if (this.#isStopping) return 'The service is stopping.';
    if (this.#apiProblem !== undefined) return `${this.#apiProblem} Fix this first.`;
    if (!this.#api.wasReady) return 'The service is still starting.';
    return undefined;
  }

  /** A request that fails gets no reply, and the api thread would wait for ever: it is replaced. */
  #onApiRequest(message: FromApi): void {
    const { dns } = this.#parts;
    const replied = answerApiRequest(
      {
        api: this.#api,
        dns,
        history: this.#history,
        restarts: this.#restarts,
        sockets: this.#sockets,
        listening: () => this.#listening(),
      },
      message,
    );
    const what = `answer the api thread (${message.kind})`;
    this.#tasks.run(what, replied, (problem) => this.#api.replace(problem));
  }

  async #retryListening(): Promise<void> {
    this.#readiness.check();
    if (this.#restarts.isUnderWay) return;
    const opened = await this.#sockets.retry();
    for (const text of opened) this.#parts.log.info(text);
    if (opened.length > 0) this.#publishListening();
  }

  async #rescan(): Promise<void> {
    if (!this.#restarts.isUnderWay && (await this.#parts.dns.rescan())) this.#publishListening();
  }

  #publishListening(): void {
    const outcome = { ok: true, listening: this.#listening() } as const;
    this.#api.post({ kind: 'listening', requestId: undefined, outcome });
    if (!this.#isStopping) this.#readiness.check();
  }

  #listening(): Listening {
    const { open, closed, replaced } = this.#sockets.listening;
    const { listening } = this.#parts.dns;
    return {
      open,
      closed: [...closed, ...listening.closed],
      dns: listening.dns,
      replaced: [...replaced, ...listening.replaced],
    };
  }

  #threads(): readonly ThreadStatus[] {
    return [this.#api.status, ...this.#parts.dns.statuses, ...this.#history.statuses];
  }
}
