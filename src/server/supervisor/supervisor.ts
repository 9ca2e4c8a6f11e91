// The main thread at work: threads, sockets, signals, and the change from one process to the next. It takes
// no request, opens no database and answers no query, because it must survive what happens elsewhere.

import { monotonicMicroseconds } from '../clock.ts';
import type { DnsPlan } from '../threads/dns-messages.ts';
import type { FromApi, Listening, ThreadStatus } from '../threads/messages.ts';
import { readPlan } from '../threads/dns-plan.ts';
import { ApiThread } from './api-thread.ts';
import type { DnsService } from './dns-service.ts';
import { handOver } from './handover/hand-over.ts';
import type { Launcher } from './handover/launcher.ts';
import type { Notifier } from './handover/notify.ts';
import { Predecessor } from './handover/predecessor.ts';
import type { SuccessorProcess } from './handover/successor-process.ts';
import { HistoryThread } from './history-thread.ts';
import { Readiness } from './readiness.ts';
import { onSignals } from './signals.ts';
import { SocketsKeeper } from './sockets-keeper.ts';
import type { ServeEnd, Supervision } from './supervision.ts';
import { Unattended } from './unattended.ts';

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

export class Supervisor {
  readonly #parts: SupervisorParts;
  readonly #unattended: Unattended;
  readonly #sockets: SocketsKeeper;
  readonly #api: ApiThread;
  readonly #history: HistoryThread;
  readonly #readiness: Readiness;
  readonly #ended = Promise.withResolvers<SupervisorEnd>();
  readonly #predecessor: Predecessor | undefined;
  /** The replies that wait for the outcome of a restart. */
  #waiting: number[] = [];
  #successor: SuccessorProcess | undefined;
  /** The process that serves in our place. */
  #heir: number | undefined;
  /** Why there is no API, as it was told last. */
  #hopeless: string | undefined;
  #isInCharge = false;
  #isRestarting = false;
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
    this.#history = new HistoryThread(parts, {
      onStatus: () => this.#tellApi(),
      connectApi: (line) => this.#api.post({ kind: 'history', line }, [line.port]),
      hasRecords: () => this.#parts.dns.hasRecords,
      dnsMemory: () => this.#parts.dns.lastMemory,
    });
    this.#readiness = new Readiness({
      log: parts.log,
      notifier: parts.notifier,
      unanswered: () => parts.dns.unanswered,
      listening: () => this.#listeningText(),
    });
  }

  /** Runs until it is told to stop, cannot go on, or another process serves. */
  async run(): Promise<SupervisorEnd> {
    const { log, dns, notifier } = this.#parts;
    const timers = [
      setInterval(() => this.#unattended.run('open listeners', this.#retryListening()), retryListenEveryMs),
      setInterval(() => this.#unattended.run('follow addresses', this.#rescan()), rescanEveryMs),
    ];
    const unsubscribe = onSignals({
      stop: (signal) => this.#passOn(signal) || this.#stop(signal),
      restart: (signal) => this.#passOn(signal) || this.#unattended.run('restart', this.#restart(signal)),
      replace: (signal) =>
        this.#passOn(signal) || this.#unattended.run('replace threads', this.#replaceThreads(signal)),
    });
    this.#unattended.run('start', this.#begin(), (problem) => this.#fail(problem));
    const end = await this.#ended.promise;
    this.#isStopping = true;
    for (const timer of timers) clearInterval(timer);
    if (end.end !== 'handed over') notifier.tell('STOPPING=1');
    await this.#successor?.kill();
    await Promise.all([this.#api.stop(), dns.drain(end.end !== 'handed over')]);
    await this.#history.stop();
    this.#sockets.close();
    dns.close();
    // Who has handed over passes signals on until there is somebody else who does.
    if (end.end !== 'handed over') unsubscribe();
    log.info(end.end === 'handed over' ? 'Handed over' : 'Stopped');
    return end;
  }

  /** Threads have come or gone, or are otherwise than before. */
  tellThreads(): void {
    this.#history.followMemory();
    this.#tellApi();
    this.#tellListening();
  }

  #tellApi(): void {
    this.#api.post({ kind: 'threads', threads: this.#threads(), dnsMemory: this.#parts.dns.memory });
  }

  async #begin(): Promise<void> {
    const { dns } = this.#parts;
    const plan = this.#plan();
    if (plan !== undefined) void this.#history.setPlan(plan.history);
    const starting = plan === undefined ? [] : dns.startWith(plan);
    if (this.#predecessor === undefined) return this.#api.start();
    const late = await starting;
    if (late.length > 0) return this.#fail(`These threads do not start: ${late.join(', ')}.`);
    this.#predecessor.tell({ kind: 'dns' });
    await this.#predecessor.databases;
    if (!this.#isStopping) this.#api.start();
    return undefined;
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
    const { launcher, onInCharge } = this.#parts;
    const isFirst = !this.#isInCharge;
    this.#isInCharge = true;
    if (isFirst && this.#predecessor !== undefined) {
      this.#predecessor.tell({ kind: 'ready' });
      await this.#predecessor.yours;
      this.#predecessor.leave();
    }
    if (isFirst) onInCharge();
    if (isFirst && (await launcher?.takeOver(() => this.#onLauncherGone())) === false) return;
    this.#history.connect();
    this.#hopeless = undefined;
    this.#readiness.serves();
  }

  #listeningText(): string {
    const { open, dns } = this.#listening();
    const answered = dns.filter(({ isAnswered }) => isAnswered);
    return [...open.map(({ listener }) => listener), ...answered].map(addressText).join(' ');
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
    const isAlone = this.#predecessor === undefined && dns.isWanted;
    if (!isAlone && !this.#api.wasReady) return this.#fail(problem);
    if (this.#hopeless === problem) return undefined;
    this.#hopeless = problem;
    const text = `DNS is answered as it was last, but there is no API and no web interface: ${problem}`;
    log.error(`${text} It is tried again by itself.`, {
      dns: this.#listening().dns.map(addressText).join(' '),
    });
    this.#readiness.servesDnsOnly(text);
    return undefined;
  }

  /** What cannot be done at all ends the program. */
  #fail(problem: string): void {
    this.#ended.resolve({ end: 'failed', problem });
  }

  /** True when the signal is meant for the successor: whoever sent it knows this process alone. */
  #passOn(signal: NodeJS.Signals): boolean {
    if (this.#heir === undefined) return false;
    if (this.#parts.launcher?.isFirst === true) process.kill(this.#heir, signal);
    return true;
  }

  /**
   * By force: what this must not cost anybody is what it would not cost if they died. The api thread comes
   * last, for its start would take the time of the processor that the others need to be back soon.
   */
  async #replaceThreads(signal: string): Promise<void> {
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

  async #restart(occasion: string): Promise<void> {
    const { log } = this.#parts;
    const refusal = this.#refusal();
    if (refusal !== undefined) return log.warn(`Not restarted (${occasion}): ${refusal}`);
    const problem = await this.#handOver();
    if (problem !== undefined) log.error(`Not restarted (${occasion}): ${problem} This process goes on.`);
    return undefined;
  }

  #refusal(): string | undefined {
    const { libc, lock } = this.#parts;
    if (this.#isRestarting) return 'A restart is under way already.';
    if (this.#isStopping) return 'The service is stopping.';
    if (this.#hopeless !== undefined) return `${this.#hopeless} Mend that first.`;
    if (!this.#api.wasReady) return 'The service is still starting.';
    if (libc === undefined || lock.fd === undefined)
      return 'Handing over needs Linux and koffi; stop the service and start it again.';
    return undefined;
  }

  /** The reason when it failed; then everything is as before. */
  async #handOver(): Promise<string | undefined> {
    const { dataDir, lock, control, dns, launcher, log, notifier } = this.#parts;
    this.#isRestarting = true;
    notifier.tell('RELOADING=1', `MONOTONIC_USEC=${monotonicMicroseconds()}`);
    await dns.saveCaches();
    const handed = await handOver({
      // Without a descriptor of the lock `#refusal` has spoken.
      estate: { dataDir, lock: lock.fd ?? -1, control, web: this.#sockets.estate, dns: dns.estate },
      launcher,
      log,
      onBegun: (successor) => (this.#successor = successor),
      closeApi: () => this.#api.handOver(),
      reopenApi: (problem) => this.#reopenApi(problem),
    });
    if (this.#isStopping) return undefined;
    if ('successor' in handed) {
      this.#leave(handed.successor);
      return undefined;
    }
    this.#successor = undefined;
    this.#isRestarting = false;
    this.#answerWaiting(handed.problem);
    notifier.tell('READY=1');
    return handed.problem;
  }

  #leave(successor: SuccessorProcess): void {
    this.#successor = undefined;
    this.#heir = successor.pid;
    this.#parts.notifier.tell(`MAINPID=${successor.pid}`, 'READY=1');
    successor.tell({ kind: 'yours' });
    successor.leave();
    this.#answerWaiting(undefined);
    this.#ended.resolve({ end: 'handed over', successor: successor.pid });
  }

  async #reopenApi(problem: string): Promise<void> {
    this.#answerWaiting(problem);
    await this.#api.stop();
    if (!this.#isStopping) this.#api.start();
  }

  #answerWaiting(problem: string | undefined): void {
    const outcome = problem === undefined ? ({ ok: true } as const) : ({ ok: false, problem } as const);
    for (const reply of this.#waiting) this.#api.post({ kind: 'restarted', reply, outcome });
    this.#waiting = [];
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
    if (message.kind === 'restart') return this.#answerRestart(message.reply);
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

  async #answerRestart(reply: number): Promise<void> {
    const problem = this.#refusal();
    if (problem !== undefined)
      return this.#api.post({ kind: 'restarted', reply, outcome: { ok: false, problem } });
    this.#waiting.push(reply);
    return this.#restart('asked for over the API');
  }

  async #answerListen({ reply, setting, text, occasion }: FromApi & { kind: 'listen' }): Promise<void> {
    const isFrozen = this.#isRestarting && occasion === 'change';
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
    if (this.#isRestarting || !(await this.#sockets.retry())) return;
    this.#tellListening();
  }

  async #rescan(): Promise<void> {
    if (!this.#isRestarting && (await this.#parts.dns.rescan())) this.#tellListening();
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

const addressText = ({ address, port }: { readonly address: string; readonly port: number }): string =>
  `${address}:${port}`;
