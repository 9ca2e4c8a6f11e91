// The main thread at work: threads, sockets, signals, and the change from one process to the next. It takes
// no request, opens no database and answers no query, because it must survive what happens elsewhere.

import { setTimeout as sleep } from 'node:timers/promises';
import { type DnsPlan, readPlan } from '#control/plan';
import type { FromApi } from '../messages/messages.ts';
import type { Listening } from '#platform/sockets';
import type { ThreadStatus } from '#platform/threads';
import { ApiThread } from './api-thread.ts';
import type { DnsService } from './dns-service.ts';
import type { Launcher } from './handover/launcher.ts';
import type { Notifier } from './handover/notify.ts';
import { Predecessor } from './handover/predecessor.ts';
import { HistoryThread } from './history-thread.ts';
import { placeText } from './listening-text.ts';
import { Readiness } from './readiness.ts';
import { Restarts } from './restarts.ts';
import { onSignals } from './signals.ts';
import { SocketsKeeper } from './sockets-keeper.ts';
import type { ServeEnd, Supervision } from './supervision.ts';
import { Unattended } from './background-tasks.ts';

export interface SupervisorParts extends Supervision {
  readonly dns: DnsService;
  /** Nothing where there is no handing over, or systemd is told of it. */
  readonly launcher: Launcher | undefined;
  readonly notifier: Notifier;
  /** Called when this process is the one that counts. */
  readonly onInCharge: () => void;
}

export type SupervisorEnd =
  | ServeEnd
  /** Another process serves now. */
  | { readonly end: 'handed over'; readonly successor: number };

const retryListenEveryMs = 10_000;
const rescanEveryMs = 3_000;
/** A predecessor decides at once, unless it was stopped. */
const decisionMaxMs = 5_000;

export class Supervisor {
  readonly #parts: SupervisorParts;
  readonly #unattended: Unattended;
  readonly #sockets: SocketsKeeper;
  readonly #api: ApiThread;
  readonly #readiness: Readiness;
  readonly #restarts: Restarts;
  readonly #predecessor: Predecessor | undefined;
  /** Resolves when this process is in charge; with false when the launcher was killed meanwhile. */
  readonly #inCharge: Promise<boolean>;
  #history: HistoryThread;
  #ended = Promise.withResolvers<SupervisorEnd>();
  /** Why there is no API, as it was told last. */
  #hopeless: string | undefined;
  #isReadySaid = false;
  #isStopping = false;

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
    this.#unattended = new Unattended(parts.log);
    this.#sockets = new SocketsKeeper(parts.libc);
    this.#sockets.inherit(parts.inheritance?.web ?? []);
    this.#predecessor = parts.inheritance === undefined ? undefined : new Predecessor();
    this.#api = new ApiThread(parts, {
      onQuestion: (message) => this.#hear(message),
      onReady: () => this.#unattended.run('take over', this.#onReady()),
      onHopeless: (problem) => this.#onHopeless(problem),
      onStatus: () => this.tellThreads(),
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
    // Whatever the phase: also a predecessor that dies in the middle of it leaves this process in charge.
    this.#inCharge = this.#predecessor?.yours.then(() => this.#takeCharge()) ?? Promise.resolve(true);
  }

  /** Runs until it is told to stop, cannot go on, or another process serves. */
  async run(): Promise<SupervisorEnd> {
    const { log, dns, version, dataDir } = this.#parts;
    const timers = [
      setInterval(() => this.#unattended.run('open listeners', this.#retryListening()), retryListenEveryMs),
      setInterval(() => this.#unattended.run('follow addresses', this.#rescan()), rescanEveryMs),
    ];
    const restarts = this.#restarts;
    const unsubscribe = onSignals({
      stop: (signal) => restarts.passOn(signal) || this.#stop(signal),
      restart: (signal) =>
        restarts.passOn(signal) || this.#unattended.run('restart', restarts.restart(signal)),
      replace: (signal) =>
        restarts.passOn(signal) || this.#unattended.run('replace threads', this.#replaceThreads(signal)),
    });
    // Logged once signals are handled: one that comes after this line ends the service in order.
    log.info('Starting', { version, data: dataDir });
    this.#unattended.run('start', this.#begin(), (problem) => this.#fail(problem));
    const end = await this.#untilTheEnd();
    for (const timer of timers) clearInterval(timer);
    this.#sockets.close();
    dns.close();
    // Who has handed over passes signals on until there is somebody else who does.
    if (end.end !== 'handed over') unsubscribe();
    log.info(end.end === 'handed over' ? 'Handed over' : 'Stopped');
    return end;
  }

  /** A successor that dies while this process still drains is no end: the service goes on here. */
  async #untilTheEnd(): Promise<SupervisorEnd> {
    for (;;) {
      const end = await this.#ended.promise;
      await this.#endThreads(end.end === 'handed over');
      if (end.end !== 'handed over') {
        await this.#hearDecision();
        // Its word would keep this process from its end. Who has failed still says why.
        if (end.end === 'stopped') this.#predecessor?.leave();
        return end;
      }
      const after = await this.#restarts.afterDraining();
      if (after.kind === 'stop') return { end: 'stopped' };
      if (after.kind === 'leave') return end;
      this.#goOn(after.problem);
    }
  }

  async #endThreads(isHandedOver: boolean): Promise<void> {
    this.#isStopping = true;
    if (!isHandedOver) this.#parts.notifier.tell('STOPPING=1');
    await this.#restarts.kill();
    await Promise.all([this.#api.stop(), this.#parts.dns.drain(!isHandedOver)]);
    await this.#history.stop();
  }

  /** Who is told to stop after it has said `ready` may be the one whose end counts. */
  async #hearDecision(): Promise<void> {
    if (this.#predecessor?.isDeciding === true) await Promise.race([this.#inCharge, sleep(decisionMaxMs)]);
  }

  #goOn(problem: string): void {
    const { dns, log, notifier, onInCharge } = this.#parts;
    log.error(`The new process ended before this one was gone: ${problem} This process goes on.`);
    this.#isStopping = false;
    this.#ended = Promise.withResolvers();
    onInCharge();
    notifier.tell(`MAINPID=${process.pid}`);
    this.#history = this.#createHistory();
    this.#rememberAs(this.#plan());
    this.#unattended.run('answer queries again', dns.resume());
    this.#api.start();
  }

  #createHistory(): HistoryThread {
    return new HistoryThread(this.#parts, {
      onStatus: () => this.#tellApi(),
      connectApi: (line) => this.#api.post({ kind: 'history', line }, [line.port]),
      hasRecords: () => this.#parts.dns.hasRecords,
      dnsMemory: () => this.#parts.dns.lastMemory,
    });
  }

  /** From now on this process is the one that counts. */
  async #takeCharge(): Promise<boolean> {
    this.#parts.onInCharge();
    const taken = this.#parts.launcher?.takeOver(() => this.#onLauncherGone());
    await this.#predecessor?.release();
    return (await taken) !== false;
  }

  /** Threads have come or gone, or are otherwise than before. */
  tellThreads(): void {
    this.#watchStart();
    this.#history.followMemory();
    this.#tellApi();
    this.#tellListening();
  }

  /** A successor whose threads die is no better than its predecessor, which can still take all back. */
  #watchStart(): void {
    if (!this.#isComingUp) return;
    const dead = this.#threads().find(({ restarts }) => restarts > 0);
    if (dead !== undefined) this.#fail(`Its thread ${dead.name} does not start: ${dead.lastFailure ?? ''}`);
  }

  get #isComingUp(): boolean {
    return this.#predecessor?.isWaiting === true && !this.#isReadySaid;
  }

  #tellApi(): void {
    this.#api.post({ kind: 'threads', threads: this.#threads(), dnsMemory: this.#parts.dns.memory });
  }

  async #begin(): Promise<void> {
    const { dns } = this.#parts;
    const plan = this.#plan();
    this.#rememberAs(plan);
    const starting = plan === undefined ? [] : dns.startWith(plan);
    if (this.#predecessor === undefined) return this.#api.start();
    const late = await starting;
    if (late.length > 0) return this.#fail(`These threads do not start: ${late.join(', ')}.`);
    this.#predecessor.tell({ kind: 'dns' });
    await this.#predecessor.databases;
    if (!this.#isStopping) this.#api.start();
    return undefined;
  }

  #rememberAs(plan: DnsPlan | undefined): void {
    if (plan !== undefined) void this.#history.setPlan(plan.history);
  }

  /** As it was kept, with what environment and file say now. */
  #plan(): DnsPlan | undefined {
    const { dataDir, sources, version } = this.#parts;
    const kept = readPlan(dataDir, version);
    const listen = sources.pinned.get('dns.listen')?.value;
    const workers = sources.pinned.get('dns.workers')?.value;
    return (
      kept && {
        ...kept,
        ...(typeof listen === 'string' && { listen }),
        ...(typeof workers === 'number' && { workers }),
      }
    );
  }

  /** Each api thread comes here once, but only the first of a process takes over from what was before. */
  async #onReady(): Promise<void> {
    if (this.#isStopping) return;
    if (!this.#isReadySaid) this.#predecessor?.tell({ kind: 'ready' });
    this.#isReadySaid = true;
    if (!(await this.#inCharge)) return;
    this.#history.connect();
    this.#hopeless = undefined;
    this.#readiness.serves();
  }

  #listeningText(): string {
    const { open, dns } = this.#listening();
    const answered = dns.filter(({ isAnswered }) => isAnswered);
    return [...open.map(({ listener }) => listener), ...answered].map(placeText).join(' ');
  }

  /** Whoever watches over the service knows that process alone, and takes its end for the end of it. */
  #onLauncherGone(): void {
    if (!this.#isStopping)
      this.#parts.log.error('The process that this service was started as was killed: it ends with it.');
    this.#stop('the end of the launcher');
  }

  /**
   * What answers DNS does not end because it cannot be administrated. It is ready then, too: whoever waits
   * for that would end it in the end. A successor does end, for its predecessor can still take all back.
   */
  #onHopeless(problem: string): void {
    const { dns, log } = this.#parts;
    const isAlone = this.#predecessor?.isWaiting !== true && dns.isWanted;
    if (!isAlone && !this.#api.wasReady) return this.#fail(problem);
    if (this.#hopeless === problem) return undefined;
    this.#hopeless = problem;
    const text = `DNS is answered as it was last, but there is no API and no web interface: ${problem}`;
    log.error(`${text} It is tried again by itself.`, {
      dns: this.#listening().dns.map(placeText).join(' '),
    });
    this.#readiness.servesDnsOnly(text);
    return undefined;
  }

  /** What cannot be done at all ends the program. */
  #fail(problem: string): void {
    this.#ended.resolve({ end: 'failed', problem });
  }

  /**
   * By force: what this must not cost anybody is what it would not cost if they died. The api thread comes
   * last, for its start would take the time of the processor that the others need to be back soon.
   */
  async #replaceThreads(signal: string): Promise<void> {
    // Its threads are new, and one that dies now would end the restart.
    if (this.#isComingUp) return;
    const reason = `it was asked for by the signal ${signal}`;
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
    if (this.#hopeless !== undefined) return `${this.#hopeless} Mend that first.`;
    if (!this.#api.wasReady) return 'The service is still starting.';
    return undefined;
  }

  /** A thread whose question was lost would wait for the answer for ever. */
  #hear(message: FromApi): void {
    this.#unattended.run(`answer the api thread (${message.kind})`, this.#onQuestion(message), (problem) =>
      this.#api.replace(problem),
    );
  }

  async #onQuestion(message: FromApi): Promise<void> {
    const { dns } = this.#parts;
    if (message.kind === 'listen') return this.#answerListen(message);
    if (message.kind === 'restart') return this.#restarts.answer(message.reply);
    if (message.kind === 'history') return this.#history.want();
    if (message.kind === 'dns') return this.#answerDns(message);
    if (message.kind === 'explain')
      this.#api.post({
        kind: 'explained',
        reply: message.reply,
        outcome: await dns.explain(message.wanted),
      });
    if (message.kind === 'count')
      this.#api.post({ kind: 'applied', reply: message.reply, outcome: await dns.count() });
    if (message.kind === 'flush')
      this.#api.post({ kind: 'applied', reply: message.reply, outcome: await dns.flush(message.name) });
    return undefined;
  }

  /** In force: answered by it, and remembered by it. */
  async #answerDns({ reply, plan, snapshot }: FromApi & { kind: 'dns' }): Promise<void> {
    const planned = this.#history.setPlan(plan.history);
    const outcome = await this.#parts.dns.apply(plan, snapshot);
    await planned;
    this.#api.post({ kind: 'applied', reply, outcome });
  }

  async #answerListen({ reply, setting, text, occasion }: FromApi & { kind: 'listen' }): Promise<void> {
    const isFrozen = this.#restarts.isUnderWay && occasion === 'change';
    const outcome = isFrozen
      ? ({ ok: false, problem: 'The service is being restarted: try again in a moment.' } as const)
      : await this.#sockets.listen(setting, text, occasion);
    const problem =
      setting === 'dns.listen' && outcome.ok
        ? await this.#parts.dns.listen(outcome.replaced ?? text, occasion)
        : undefined;
    const listening = this.#listening();
    this.#api.post({
      kind: 'listening',
      reply,
      outcome: problem === undefined ? { ...outcome, listening } : { ok: false, problem, listening },
    });
  }

  async #retryListening(): Promise<void> {
    this.#readiness.look();
    if (this.#restarts.isUnderWay || !(await this.#sockets.retry())) return;
    this.#tellListening();
  }

  async #rescan(): Promise<void> {
    if (!this.#restarts.isUnderWay && (await this.#parts.dns.rescan())) this.#tellListening();
  }

  #tellListening(): void {
    const outcome = { ok: true, listening: this.#listening(), replaced: undefined } as const;
    this.#api.post({ kind: 'listening', reply: undefined, outcome });
    if (!this.#isStopping) this.#readiness.look();
  }

  #listening(): Listening {
    const { open, closed } = this.#sockets.listening;
    const { listening } = this.#parts.dns;
    return { open, closed: [...closed, ...listening.closed], dns: listening.dns };
  }

  #threads(): readonly ThreadStatus[] {
    return [this.#api.status, ...this.#parts.dns.statuses, ...this.#history.statuses];
  }
}
