// The dns workers as main sees them: supervised threads that all get the same options and sockets. The latest
// options and sockets are kept here, so that a worker can be replaced without the api thread; a new worker
// starts with them, which counts as an acknowledgement.

import type { DnsApplied, DnsOptions } from '#control/plan';
import type { Log } from '#platform/log';
import { type DnsSocket, type Libc, revokeCopy, revokeDatagramCopy } from '#platform/sockets';
import type { DnsThreadData, FromDns, ToDns } from '../messages/dns-messages.ts';
import type { ExplanationOutcome, ExplanationWanted } from '#control/explain';
import type { ThreadStatus } from '#platform/threads';
import { DnsMemoryKeeper, type DnsMemoryFactory } from './dns-memory.ts';
import { ExplanationRequests } from './explanation-requests.ts';
import { Acknowledgements } from './acknowledgements.ts';
import { SupervisedThread } from './supervised-thread.ts';

export interface DnsWorkersOptions {
  readonly entry: URL;
  readonly workers: number;
  readonly dataDir: string;
  readonly compileCacheDir: string;
  readonly memory: DnsMemoryFactory;
  readonly libc: Libc | undefined;
  readonly log: Log;
  readonly nowMs: () => number;
  readonly onStatus: () => void;
}

/** A worker without a heartbeat for this long is replaced. */
const maxSilenceMs = 1_000;
const checkEveryMs = 200;
/** How long a start may take on slow hardware. */
const maxStartMs = 60_000;
const maxRestartMs = 1_000;
/** How long a request waits for the acknowledgements of the workers. */
const maxApplyMs = 1_000;
const maxDrainMs = 1_200;
/** After a handover another process serves, so there is more time for queries in flight. */
const maxHandOverDrainMs = 5_000;
/** Short, because queries wait in the socket; the next worker answers the ones that this one still holds. */
const maxReplaceDrainMs = 250;
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
  /** The version that each worker was started with. */
  readonly #startedWith: number[] = [];
  /** The progress of each worker when its heartbeat stopped. */
  readonly #positions: string[] = [];
  /** The ids of the sockets that each worker reads from. */
  readonly #served: (readonly number[])[] = [];
  readonly #serving = new Acknowledgements(maxApplyMs);
  readonly #applied = new Acknowledgements(maxApplyMs);
  readonly #flushed = new Acknowledgements(maxApplyMs);
  readonly #counted = new Acknowledgements(maxApplyMs);
  readonly #explanations = new ExplanationRequests();
  readonly #running = new Acknowledgements(maxStartMs);
  readonly #saved = new Acknowledgements(maxApplyMs);
  readonly #stopped = new Acknowledgements(maxDrainMs);
  readonly #handedOver = new Acknowledgements(maxHandOverDrainMs);
  readonly #drained = new Acknowledgements(maxReplaceDrainMs);
  /** Counts options and requests; also the id of the last request. */
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

  /** Starts all workers; resolves with the names of those that are not ready in time. */
  start(maxMs: number = maxStartMs): Promise<readonly string[]> {
    for (const thread of this.#threads) thread.start();
    return this.#running.begin(0, this.#names(), maxMs);
  }

  /** Resolves when all workers have applied them, or after a timeout. Undefined keeps the last snapshot. */
  async apply(dns: DnsOptions, snapshot: SharedArrayBuffer | undefined): Promise<DnsApplied> {
    this.#dns = dns;
    this.#snapshot = snapshot ?? this.#snapshot;
    const version = ++this.#version;
    this.#postToAll({ kind: 'options', version, options: dns, snapshot });
    return { workers: this.#threads.length, late: await this.#applied.begin(version, this.#names()) };
  }

  async flush(name: string | undefined): Promise<DnsApplied> {
    const requestId = ++this.#version;
    this.#postToAll({ kind: 'flush', requestId, name });
    return { workers: this.#threads.length, late: await this.#flushed.begin(requestId, this.#names()) };
  }

  /** Resolves once the workers have counted the entries of their caches, or after a timeout. */
  async count(): Promise<DnsApplied> {
    const requestId = ++this.#version;
    this.#postToAll({ kind: 'count', requestId });
    return { workers: this.#threads.length, late: await this.#counted.begin(requestId, this.#names()) };
  }

  /** Sends the request to one running worker: workers differ only in the contents of their caches. */
  async explain(wanted: ExplanationWanted): Promise<ExplanationOutcome> {
    const thread = this.#threads.find(({ status }) => status.state === 'running');
    if (thread === undefined) return { kind: 'unavailable' };
    return this.#explanations.send(thread.status.name, (requestId) =>
      thread.post({ kind: 'explain', requestId, wanted }),
    );
  }

  /** Resolves when the workers have written their caches to the disk, or after a timeout. */
  async saveCaches(): Promise<void> {
    this.#postToAll({ kind: 'save' });
    await this.#saved.begin(0, this.#names());
  }

  /** Resolves once every worker reads from these sockets, or after a timeout. */
  async setSockets(sockets: readonly DnsSocket[]): Promise<void> {
    this.#sockets = sockets;
    const requestId = ++this.#version;
    this.#threads.forEach((thread, index) =>
      thread.post({
        kind: 'sockets',
        requestId,
        sockets,
        blackBoxes: this.#memory.of(index, sockets).blackBoxes,
      }),
    );
    await this.#serving.begin(requestId, this.#names());
  }

  /** The workers that should read from the socket, and whether each does. */
  readersOf({ id, fds }: DnsSocket): readonly { readonly name: string; readonly reads: boolean }[] {
    // Without descriptors to share only the first worker can bind the address.
    const readers = fds.length === 0 ? this.#threads.slice(0, 1) : this.#threads;
    return readers.map(({ status: { name, state } }, index) => ({
      name,
      reads: state === 'running' && this.#served[index]?.includes(id) === true,
    }));
  }

  /** Workers stop reading, answer the queries in flight for a limited time, and end. */
  async stop(saves: boolean): Promise<void> {
    for (const thread of this.#threads) thread.markStopping();
    this.#running.cancel();
    this.#postToAll({ kind: 'stop', saves });
    await (saves ? this.#stopped : this.#handedOver).begin(0, this.#names());
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }

  /**
   * Replaces the workers one after the other, so that the others serve in the meantime. Each gets a short
   * time to drain: a thread that is terminated while it reads a datagram loses it.
   */
  async replace(reason: string): Promise<void> {
    for (const [index, thread] of this.#threads.entries()) {
      const name = [thread.status.name];
      thread.post({ kind: 'stop', saves: false });
      await this.#drained.begin(0, name);
      this.#memory.acquit(index);
      const restarted = this.#running.begin(0, name);
      thread.replace(reason);
      await restarted;
    }
  }

  #names(): readonly string[] {
    return this.#threads.map(({ status }) => status.name);
  }

  #postToAll(message: ToDns): void {
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
      maxSilenceMs,
      checkEveryMs,
      maxStartMs,
      maxRestartMs,
      // Only the dns worker posts on this port.
      onMessage: (message) => this.#onMessage(index, name, message as FromDns),
      onSilence: () => (this.#positions[index] = this.#memory.position(index)),
      beforeTerminate: (isSilent) => this.#beforeTerminate(index, isSilent),
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
        return this.#serving.acknowledge(name, message.requestId);
      case 'notice':
        return this.#options.log[message.level](message.text, { thread: name });
      case 'culprit':
        return this.#onCulprit(message.hex, message.client);
      default:
        return this.#onAcknowledgement(name, message);
    }
  }

  #onCulprit(packet: string, client: string): void {
    const text = 'A packet crashed a dns worker and is skipped from now on. Please report it.';
    this.#options.log.error(text, { packet, client });
  }

  #onAcknowledgement(
    name: string,
    message: Extract<
      FromDns,
      { kind: 'applied' | 'flushed' | 'counted' | 'explained' | 'saved' | 'stopped' }
    >,
  ): void {
    switch (message.kind) {
      case 'applied':
        return this.#applied.acknowledge(name, message.version);
      case 'flushed':
        return this.#flushed.acknowledge(name, message.requestId);
      case 'counted':
        return this.#counted.acknowledge(name, message.requestId);
      case 'explained':
        return this.#explanations.onReply(message.requestId, message.explained);
      case 'saved':
        return this.#saved.acknowledge(name, 0);
      case 'stopped':
        this.#handedOver.acknowledge(name, 0);
        this.#drained.acknowledge(name, 0);
        return this.#stopped.acknowledge(name, 0);
    }
  }

  /** The worker was started with these options and an empty cache, so it has nothing to apply or flush. */
  #onReady(index: number, name: string): void {
    const version = this.#startedWith[index] ?? 0;
    this.#threads[index]?.markRunning();
    this.#running.acknowledge(name, 0);
    this.#applied.acknowledge(name, version);
    this.#flushed.acknowledge(name, version);
  }

  /**
   * A worker that made progress without a heartbeat was only overloaded: no packet is to blame. The queries
   * of a silent worker are dropped in any case, because they would block the next worker as well.
   */
  #beforeTerminate(index: number, isSilent: boolean): void {
    if (isSilent) this.#memory.dropHeld(index);
    if (this.#memory.position(index) !== this.#positions[index]) this.#memory.acquit(index);
    this.#revokeCopies(index);
  }

  #revokeCopies(index: number): void {
    const { libc } = this.#options;
    if (libc === undefined) return;
    for (const { fd, copy } of this.#copies[index] ?? [])
      if (this.#isDatagram(fd)) revokeDatagramCopy(libc, fd, copy);
      else revokeCopy(libc, { fd }, copy);
  }

  #isDatagram(fd: number): boolean {
    return this.#sockets.some(({ transport, fds }) => transport === 'udp' && fds.includes(fd));
  }
}
