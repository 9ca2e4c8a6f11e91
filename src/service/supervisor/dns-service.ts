// DNS as main sees it: the sockets, the workers that read from them, and the latest plan. Workers run while
// there are open sockets and a plan; a setting that turns DNS off stops them. A start with the usual port
// opens another one while the usual one is not available.

import { formatListenAddress, parseListenAddresses, type ListenAddress } from '#contract';
import {
  type ClosedListener,
  type DnsListening,
  type DnsSocket,
  DnsSockets,
  type Listening,
} from '#platform/sockets';
import type { DnsApplied, DnsPlan } from '#control/plan';
import type { ExplanationOutcome, ExplanationWanted } from '#control/explain';
import type { ListenOccasion } from '../messages/messages.ts';
import type { DnsTraces } from '#history/thread';
import type { ThreadStatus } from '#platform/threads';
import { readSnapshotFile } from '#lists/snapshot';
import { closedRows } from './closed-dns.ts';
import { DnsWorkers, type DnsWorkersOptions } from './dns-workers.ts';
import { fallbacksFor, isComplete, isReachable, takenText } from './fallback-ports.ts';
import { defaultWorkers } from './worker-count.ts';
import { SerialQueue } from '#platform/tasks';

export type DnsServiceOptions = Omit<DnsWorkersOptions, 'workers' | 'memory'> & {
  /** Imported when the first workers are started. */
  readonly memory: () => Promise<DnsWorkersOptions['memory']>;
};

const setting = 'dns.listen';
/**
 * Ten minutes, as long as a restart may take (handover/successor-timeout.ts): a successor waits for this
 * start. A worker that dies or stops its heartbeat ends the restart earlier.
 */
const maxStartMs = 600_000;
const noWorkers: DnsApplied = { workers: 0, late: [] };

export class DnsService {
  readonly #options: DnsServiceOptions;
  readonly #sockets: DnsSockets;
  /** The number of workers of the predecessor: one UDP descriptor each. */
  readonly #inheritedWorkers: number;
  #addresses: readonly ListenAddress[] = [];
  /** What is used in place of an address that cannot be opened, by the text of that address. */
  readonly #fallbacks = new Map<string, ListenAddress>();
  #plan: DnsPlan | undefined;
  /** The compiled lists. */
  #snapshot: SharedArrayBuffer | undefined;
  #workers: DnsWorkers | undefined;
  /** The workers that were stopped last. */
  #lastWorkers: DnsWorkers | undefined;
  /** Resolves with the names of workers that do not start. */
  #starting: Promise<readonly string[]> = Promise.resolve([]);
  /** Requests that the api thread still sends while it ends must not start workers again. */
  #isDrained = false;
  /** The end of the queue: each step depends on the sockets and workers of the one before. */
  readonly #queue = new SerialQueue();

  constructor(options: DnsServiceOptions, inherited: readonly DnsSocket[]) {
    this.#options = options;
    this.#sockets = new DnsSockets({ libc: options.libc, setting });
    this.#sockets.adopt(inherited);
    this.#inheritedWorkers = Math.max(0, ...inherited.map(({ fds }) => fds.length));
  }

  get statuses(): readonly ThreadStatus[] {
    return this.#workers?.statuses ?? [];
  }

  /** Records and counters of the workers, for other threads. */
  get memory(): readonly DnsTraces[] {
    return this.#workers?.memory ?? [];
  }

  /** The same, also of workers that have ended: the history thread reads their last records. */
  get lastMemory(): readonly DnsTraces[] {
    return (this.#workers ?? this.#lastWorkers)?.memory ?? [];
  }

  /** Whether the history thread has records to read. */
  get hasRecords(): boolean {
    return (this.#workers ?? this.#lastWorkers)?.hasRecords ?? false;
  }

  /** Whether there is a plan with listen addresses. */
  get isWanted(): boolean {
    return (this.#plan?.listen ?? '') !== '';
  }

  /** The sockets that a successor can inherit. */
  get inheritable(): readonly DnsSocket[] {
    return this.#sockets.listening.open;
  }

  get listening(): Pick<Listening, 'dns' | 'closed' | 'replaced'> {
    const { open, closed } = this.#sockets.listening;
    return {
      dns: addressRows(open, this.#readersOf),
      closed: closedRows(setting, closed),
      replaced: [...this.#fallbacks].map(([wanted, address]) => ({
        setting,
        wanted,
        port: open.find((socket) => socket.wanted === formatListenAddress(address))?.port ?? address.port,
      })),
    };
  }

  /**
   * The listen addresses on which queries are not answered. For a wildcard one answered address is enough:
   * another program may hold one of the others for good, as resolvers of virtual machines do. A fallback port
   * counts too: the service would otherwise not be ready on machines where it has no right to port 53.
   */
  get unanswered(): readonly string[] {
    const answered = new Set(
      this.#sockets.listening.open
        .filter((socket) => socket.transport === 'udp' && isReadByAll(this.#readersOf(socket)))
        .map(({ wanted }) => wanted),
    );
    return this.#addresses.map(formatListenAddress).filter((text) => {
      const fallback = this.#fallbacks.get(text);
      return !answered.has(text) && !(fallback && answered.has(formatListenAddress(fallback)));
    });
  }

  readonly #readersOf = (socket: DnsSocket): Readers => this.#workers?.readersOf(socket) ?? [];

  /** Starts with the plan from the disk; resolves with the workers that do not start. */
  async startWith(plan: DnsPlan): Promise<readonly string[]> {
    this.#plan = plan;
    await this.#queue.run(async () => {
      await this.#open(plan.listen, plan.fallsBack ? 'start with fallback' : 'start');
      await this.#updateWorkers(maxStartMs);
    });
    return this.#starting;
  }

  /** The reason for a failure; everything is then as before. */
  async listen(text: string, occasion: ListenOccasion): Promise<string | undefined> {
    return this.#queue.run(async () => {
      const problem = await this.#open(text, occasion);
      await this.#updateWorkers();
      return problem;
    });
  }

  /** The number of workers stays what it was at the start. */
  async apply(plan: DnsPlan, snapshot: SharedArrayBuffer | undefined): Promise<DnsApplied> {
    this.#snapshot = snapshot ?? this.#snapshot;
    const workers = this.#plan?.workers ?? plan.workers;
    this.#plan = { ...plan, workers };
    if (this.#workers !== undefined) return this.#workers.apply(plan.options, snapshot);
    await this.#queue.run(() => this.#updateWorkers());
    return { late: await this.#starting, workers: this.statuses.length };
  }

  async flush(name: string | undefined): Promise<DnsApplied> {
    return this.#workers?.flush(name) ?? noWorkers;
  }

  async count(): Promise<DnsApplied> {
    return this.#workers?.count() ?? noWorkers;
  }

  async explain(wanted: ExplanationWanted): Promise<ExplanationOutcome> {
    return this.#workers?.explain(wanted) ?? { kind: 'unavailable' };
  }

  async saveCaches(): Promise<void> {
    await this.#workers?.saveCaches();
  }

  /** Replaces all workers; resolves when the new ones serve. */
  async replace(reason: string): Promise<void> {
    await this.#workers?.replace(reason);
  }

  /** True when addresses were added or removed. */
  async rescan(): Promise<boolean> {
    return this.#queue.run(async () => {
      const before = this.listening;
      const now = await this.#sockets.rescan();
      if (now === undefined) return false;
      await this.#updateWorkers();
      // Only now: the usual port is answered before the other one is closed.
      if (this.#dropFallbacks()) {
        await this.#openSockets();
        await this.#updateWorkers();
      }
      this.#logTaken(before, now);
      return true;
    });
  }

  /** Answers the queries in flight and stops the workers; the sockets stay open. */
  async drain(saves: boolean): Promise<void> {
    this.#isDrained = true;
    return this.#queue.run(() => this.#stopWorkers(saves));
  }

  /** Starts the workers again after `drain`. */
  async resume(): Promise<void> {
    this.#isDrained = false;
    return this.#queue.run(() => this.#updateWorkers());
  }

  async #stopWorkers(saves: boolean): Promise<void> {
    const workers = this.#workers;
    this.#workers = undefined;
    this.#lastWorkers = workers ?? this.#lastWorkers;
    await workers?.stop(saves);
  }

  close(): void {
    this.#sockets.close();
  }

  /** A start opens the addresses that it can, and the others are retried; a change opens all or none. */
  async #open(text: string, occasion: ListenOccasion): Promise<string | undefined> {
    const parsed = parseListenAddresses(text);
    if (!parsed.ok) return `${setting}: ${parsed.problem}`;
    const problem = occasion === 'change' ? await this.#openAlongside(parsed.addresses) : undefined;
    if (problem !== undefined) return problem;
    this.#addresses = parsed.addresses;
    this.#fallbacks.clear();
    if (occasion === 'start with fallback') this.#keepFallbacks();
    await this.#openSockets();
    if (occasion === 'start with fallback') await this.#openFallbacks();
    return undefined;
  }

  /** Opens the new addresses before the old ones are closed, so that a failure interrupts no client. */
  async #openAlongside(wanted: readonly ListenAddress[]): Promise<string | undefined> {
    const before = new Set(this.#sockets.listening.closed.map(({ problem }) => problem));
    const old = this.#wanted.filter((address) => !wanted.some((one) => isSame(one, address)));
    const { closed } = await this.#sockets.open([...old, ...wanted], this.#workerCount());
    const failed = closed.find(({ problem }) => !before.has(problem));
    if (failed !== undefined) await this.#openSockets();
    return failed?.problem;
  }

  get #wanted(): readonly ListenAddress[] {
    const fallbacks = [...this.#fallbacks.values()];
    return [...this.#addresses, ...fallbacks.filter((one) => !this.#addresses.some((it) => isSame(it, one)))];
  }

  #openSockets(): Promise<DnsListening> {
    return this.#sockets.open(this.#wanted, this.#workerCount());
  }

  /** Those that are open already, of a predecessor or of an earlier request: queries may wait in them. */
  #keepFallbacks(): void {
    const open = new Set(this.#sockets.listening.open.map(({ wanted }) => wanted));
    for (const address of this.#addresses) {
      const known = fallbacksFor(setting, address).find((one) => open.has(formatListenAddress(one)));
      if (known !== undefined) this.#fallbacks.set(formatListenAddress(address), known);
    }
  }

  async #openFallbacks(): Promise<void> {
    this.#dropFallbacks();
    for (const address of this.#addresses) {
      const text = formatListenAddress(address);
      if (this.#fallbacks.has(text) || isReachable(address, this.#sockets.listening)) continue;
      for (const candidate of fallbacksFor(setting, address)) {
        this.#fallbacks.set(text, candidate);
        if (isComplete(candidate, await this.#openSockets())) break;
        this.#fallbacks.delete(text);
      }
    }
    await this.#openSockets();
  }

  /** Returns whether a fallback port is not needed any more. */
  #dropFallbacks(): boolean {
    const before = this.#fallbacks.size;
    for (const address of this.#addresses)
      if (isReachable(address, this.#sockets.listening)) this.#fallbacks.delete(formatListenAddress(address));
    return this.#fallbacks.size < before;
  }

  /** Addresses that were closed before and are open now. */
  #logTaken(before: Pick<Listening, 'closed' | 'replaced'>, { open }: DnsListening): void {
    const isOpen = ({ address, port, kinds }: ClosedListener): boolean => {
      const sockets = open.filter((one) => one.address.split('%', 1)[0] === address && one.port === port);
      return kinds.every((kind) => sockets.some(({ transport }) => transport === kind));
    };
    for (const [wanted, rows] of Map.groupBy(before.closed.filter(isOpen), (row) => row.wanted)) {
      const ports = this.#fallbacks.has(wanted) ? [] : before.replaced.filter((one) => one.wanted === wanted);
      const opened = ports.length > 0 ? wanted : [...new Set(rows.map(({ where }) => where))].join(', ');
      const closed = ports.map(({ port }) => port);
      this.#options.log.info(takenText(setting, opened, closed));
    }
  }

  /** Starts, stops or updates the workers after a change of the sockets or the plan. */
  async #updateWorkers(maxMs?: number): Promise<void> {
    const { open } = this.#sockets.listening;
    if (this.#workers !== undefined) {
      if (open.length === 0) await this.#stopWorkers(true);
      else await this.#workers.setSockets(open);
      return;
    }
    const plan = this.#plan;
    if (open.length === 0 || plan === undefined || this.#isDrained) return;
    // Also with a plan that did not come from the disk, as after an upgrade: the compiled lists there are
    // still valid.
    this.#snapshot ??= readSnapshotFile(this.#options.dataDir);
    const workers = this.#workerCount();
    // The sockets may have been opened before the number of workers was known.
    const sockets = await this.#sockets.open(this.#wanted, workers);
    const options = { ...this.#options, workers, memory: await this.#options.memory() };
    this.#workers = new DnsWorkers(options, plan.options, this.#snapshot, sockets.open);
    this.#options.onStatus();
    this.#starting = this.#workers.start(maxMs);
  }

  #workerCount(): number {
    const wanted = this.#plan?.workers ?? this.#inheritedWorkers;
    return wanted > 0 ? wanted : defaultWorkers();
  }
}

type Readers = ReturnType<DnsWorkers['readersOf']>;

function isReadByAll(readers: Readers): boolean {
  return readers.length > 0 && readers.every(({ reads }) => reads);
}

/** One row for each address, for UDP and TCP together. */
function addressRows(
  open: readonly DnsSocket[],
  readersOf: (socket: DnsSocket) => Readers,
): Listening['dns'] {
  const byText = Map.groupBy(open, ({ address, port }) => `${address} ${port}`);
  return [...byText.values()].flatMap((sockets) => {
    const [first] = sockets;
    if (first === undefined) return [];
    const { address, port } = first;
    const isAnswered = sockets.some(
      (socket) => socket.transport === 'udp' && readersOf(socket).some(({ reads }) => reads),
    );
    const missing = sockets.flatMap(readersOf).filter(({ reads }) => !reads);
    return [{ address, port, isAnswered, missing: [...new Set(missing.map(({ name }) => name))] }];
  });
}

function isSame(one: ListenAddress, other: ListenAddress): boolean {
  return formatListenAddress(one) === formatListenAddress(other);
}
