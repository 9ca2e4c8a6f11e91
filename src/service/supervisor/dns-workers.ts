// The dns workers as main sees them: as many supervised threads as wanted, all told the same. The latest
// options and sockets are kept here, so that a worker is replaced whether or not the api thread lives; a
// worker that starts is given them with its start and counts as told.

import type { DnsApplied, DnsOptions } from '#control/plan';
import type { Log } from '#platform/log';
import { type DnsSocket, type Libc, takeBack, takeBackDatagrams } from '#platform/sockets';
import type { DnsThreadData, FromDns, ToDns } from '../messages/dns-messages.ts';
import type { ExplanationOutcome, ExplanationWanted } from '#control/explain';
import type { ThreadStatus } from '#platform/threads';
import { DnsMemoryKeeper, type DnsMemoryMakers } from './dns-memory.ts';
import { Explaining } from './explaining.ts';
import { Acknowledgements } from './acknowledgements.ts';
import { SupervisedThread } from './supervised-thread.ts';

export interface DnsWorkersOptions {
  readonly entry: URL;
  readonly workers: number;
  readonly dataDir: string;
  readonly compileCacheDir: string;
  readonly memory: DnsMemoryMakers;
  readonly libc: Libc | undefined;
  readonly log: Log;
  readonly nowMs: () => number;
  readonly onStatus: () => void;
}

/** A worker without a sign of life for this long is replaced. */
const silenceMaxMs = 1_000;
const checkEveryMs = 200;
/** How long a start may be silent, and how long others wait for it. Slow hardware takes its time. */
const startMaxMs = 60_000;
const restartMaxMs = 1_000;
/** How long a change may wait for the workers. */
const applyMaxMs = 1_000;
const drainMaxMs = 1_200;
const leaveMaxMs = 5_000;
/** Queries wait in the socket meanwhile, and its successor answers what is still in its hands. */
const putDownMaxMs = 250;
const heapMb = 256;
const youngMb = 4;

interface Copy {
  readonly fd: number;
  readonly copy: number;
}

export class DnsWorkers {
  readonly #options: DnsWorkersOptions;
  readonly #memory: DnsMemoryKeeper;
  readonly #threads: readonly SupervisedThread[];
  readonly #copies: Copy[][];
  /** Which version each was started with. */
  readonly #startedWith: number[] = [];
  /** How far each had come when it was silent. */
  readonly #positions: string[] = [];
  /** The ids of the sockets that each reads from. */
  readonly #served: (readonly number[])[] = [];
  readonly #serving = new Acknowledgements(applyMaxMs);
  readonly #applied = new Acknowledgements(applyMaxMs);
  readonly #flushed = new Acknowledgements(applyMaxMs);
  readonly #counted = new Acknowledgements(applyMaxMs);
  readonly #explaining = new Explaining();
  readonly #running = new Acknowledgements(startMaxMs);
  readonly #saved = new Acknowledgements(applyMaxMs);
  readonly #stopped = new Acknowledgements(drainMaxMs);
  /** Another process serves: there is time for what is in flight. */
  readonly #left = new Acknowledgements(leaveMaxMs);
  readonly #putDown = new Acknowledgements(putDownMaxMs);
  #version = 1;
  #dns: DnsOptions;
  #snapshot: SharedArrayBuffer | undefined;
  #sockets: readonly DnsSocket[];

  constructor(
    options: DnsWorkersOptions,
    dns: DnsOptions,
    snapshot: SharedArrayBuffer | undefined,
    sockets: readonly DnsSocket[],
  ) {
    this.#snapshot = snapshot;
    this.#options = options;
    this.#dns = dns;
    this.#sockets = sockets;
    this.#memory = new DnsMemoryKeeper(options.workers, options.memory);
    this.#copies = Array.from({ length: options.workers }, () => []);
    this.#threads = this.#copies.map((_copies, index) => this.#create(index));
  }

  get statuses(): readonly ThreadStatus[] {
    return this.#threads.map(({ status }) => status);
  }

  get memory(): DnsMemoryKeeper['all'] {
    return this.#memory.all;
  }

  get hasRecords(): boolean {
    return this.#memory.hasRecords;
  }

  /** Starts all; resolves with the names of those that do not answer queries in time. */
  start(maxMs: number = startMaxMs): Promise<readonly string[]> {
    for (const thread of this.#threads) thread.start();
    return this.#running.begin(0, this.#names(), maxMs);
  }

  /** Resolves once every worker answers by them, or the time is up. Without a snapshot the last one stays. */
  async apply(dns: DnsOptions, snapshot: SharedArrayBuffer | undefined): Promise<DnsApplied> {
    this.#dns = dns;
    this.#snapshot = snapshot ?? this.#snapshot;
    const version = ++this.#version;
    this.#tell({ kind: 'options', version, options: dns, snapshot });
    return { workers: this.#threads.length, late: await this.#applied.begin(version, this.#names()) };
  }

  async flush(name: string | undefined): Promise<DnsApplied> {
    const reply = ++this.#version;
    this.#tell({ kind: 'flush', reply, name });
    return { workers: this.#threads.length, late: await this.#flushed.begin(reply, this.#names()) };
  }

  /** Resolves once they have counted what is in their caches, or the time is up. */
  async count(): Promise<DnsApplied> {
    const reply = ++this.#version;
    this.#tell({ kind: 'count', reply });
    return { workers: this.#threads.length, late: await this.#counted.begin(reply, this.#names()) };
  }

  /** Asks one of those that run: each would say the same, but for what it has in its cache. */
  async explain(wanted: ExplanationWanted): Promise<ExplanationOutcome> {
    const thread = this.#threads.find(({ status }) => status.state === 'running');
    if (thread === undefined) return { kind: 'unavailable' };
    return this.#explaining.ask(thread.status.name, (reply) =>
      thread.post({ kind: 'explain', reply, wanted }),
    );
  }

  /** Resolves when what they know is on the disk, or the time is up. */
  async saveCaches(): Promise<void> {
    this.#tell({ kind: 'save' });
    await this.#saved.begin(0, this.#names());
  }

  /** Resolves once every worker reads from them, or the time is up. */
  async followSockets(sockets: readonly DnsSocket[]): Promise<void> {
    this.#sockets = sockets;
    const reply = ++this.#version;
    this.#threads.forEach((thread, index) =>
      thread.post({
        kind: 'sockets',
        reply,
        sockets,
        blackBoxes: this.#memory.of(index, sockets).blackBoxes,
      }),
    );
    await this.#serving.begin(reply, this.#names());
  }

  /** The workers that should read from the socket, and whether each does. */
  readersOf({ id, fds }: DnsSocket): readonly { readonly name: string; readonly reads: boolean }[] {
    // Without descriptors only the first worker can have the address.
    const readers = fds.length === 0 ? this.#threads.slice(0, 1) : this.#threads;
    return readers.map(({ status: { name, state } }, index) => ({
      name,
      reads: state === 'running' && this.#served[index]?.includes(id) === true,
    }));
  }

  /** Nothing more is read; what is in flight is answered, for a moment; then all end. */
  async stop(saves: boolean): Promise<void> {
    for (const thread of this.#threads) thread.markStopping();
    this.#running.giveUp();
    this.#tell({ kind: 'stop', saves });
    await (saves ? this.#stopped : this.#left).begin(0, this.#names());
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }

  /**
   * Ends each and starts it anew, one after the other: the others serve meanwhile. It may put down what it
   * has in its hands, if it does so soon: a thread that is ended while it takes a datagram loses it.
   */
  async replace(reason: string): Promise<void> {
    for (const [index, thread] of this.#threads.entries()) {
      const name = [thread.status.name];
      thread.post({ kind: 'stop', saves: false });
      await this.#putDown.begin(0, name);
      this.#memory.acquit(index);
      const isBack = this.#running.begin(0, name);
      thread.replace(reason);
      await isBack;
    }
  }

  #names(): readonly string[] {
    return this.#threads.map(({ status }) => status.name);
  }

  #tell(message: ToDns): void {
    for (const thread of this.#threads) thread.post(message);
  }

  #create(index: number): SupervisedThread {
    const { entry, log, nowMs, onStatus } = this.#options;
    const name = `dns${index + 1}`;
    return new SupervisedThread({
      name,
      entry,
      data: (heartbeat) => this.#data(index, heartbeat),
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngMb },
      silenceMaxMs,
      checkEveryMs,
      startMaxMs,
      restartMaxMs,
      // Only the entry of the dns workers speaks on this port, in these words.
      onMessage: (message) => this.#onMessage(index, name, message as FromDns),
      onSilence: () => (this.#positions[index] = this.#memory.position(index)),
      beforeForce: (isSilent) => this.#beforeForce(index, isSilent),
      onStatus,
      log,
      nowMs,
    });
  }

  #data(index: number, heartbeat: Int32Array): DnsThreadData {
    this.#copies[index] = [];
    this.#served[index] = [];
    this.#startedWith[index] = this.#version;
    const { workers, dataDir, compileCacheDir } = this.#options;
    return {
      index,
      workers,
      dataDir,
      compileCacheDir,
      heartbeat,
      version: this.#version,
      options: this.#dns,
      snapshot: this.#snapshot,
      sockets: this.#sockets,
      memory: this.#memory.of(index, this.#sockets),
    };
  }

  #onMessage(index: number, name: string, message: FromDns): void {
    switch (message.kind) {
      case 'ready':
        return this.#onReady(index, name);
      case 'attached':
        this.#copies[index]?.push(message);
        return undefined;
      case 'serving':
        this.#served[index] = message.sockets;
        return this.#serving.heard(name, message.reply);
      case 'notice':
        return this.#options.log[message.level](message.text, { thread: name });
      case 'culprit':
        return this.#onCulprit(message.hex, message.client);
      default:
        return this.#onDone(name, message);
    }
  }

  #onCulprit(packet: string, client: string): void {
    const text = 'A packet ended a dns worker and is not looked at again. Please report it.';
    this.#options.log.error(text, { packet, client });
  }

  #onDone(
    name: string,
    message: Extract<
      FromDns,
      { kind: 'applied' | 'flushed' | 'counted' | 'explained' | 'saved' | 'stopped' }
    >,
  ): void {
    switch (message.kind) {
      case 'applied':
        return this.#applied.heard(name, message.version);
      case 'flushed':
        return this.#flushed.heard(name, message.reply);
      case 'counted':
        return this.#counted.heard(name, message.reply);
      case 'explained':
        return this.#explaining.heard(message.reply, message.explained);
      case 'saved':
        return this.#saved.heard(name, 0);
      case 'stopped':
        this.#left.heard(name, 0);
        this.#putDown.heard(name, 0);
        return this.#stopped.heard(name, 0);
    }
  }

  /** It was started with the latest options and with nothing in its cache: that is as good as being told. */
  #onReady(index: number, name: string): void {
    const version = this.#startedWith[index] ?? 0;
    this.#threads[index]?.markRunning();
    this.#running.heard(name, 0);
    this.#applied.heard(name, version);
    this.#flushed.heard(name, version);
  }

  /**
   * A worker that went on while it was silent had only too much to do: no packet is to blame. What it holds
   * is dropped in any case: the same work would silence its successor.
   */
  #beforeForce(index: number, isSilent: boolean): void {
    if (isSilent) this.#memory.dropHeld(index);
    if (this.#memory.position(index) !== this.#positions[index]) this.#memory.acquit(index);
    this.#takeBack(index);
  }

  #takeBack(index: number): void {
    const { libc } = this.#options;
    if (libc === undefined) return;
    for (const { fd, copy } of this.#copies[index] ?? [])
      if (this.#isDatagram(fd)) takeBackDatagrams(libc, fd, copy);
      else takeBack(libc, { fd }, copy);
  }

  #isDatagram(fd: number): boolean {
    return this.#sockets.some(({ transport, fds }) => transport === 'udp' && fds.includes(fd));
  }
}
