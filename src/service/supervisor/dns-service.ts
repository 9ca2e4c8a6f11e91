// DNS as main sees it: the sockets, the workers that read from them, and what both were told last. Workers
// run whenever there is something to listen on and something to answer by; a setting that turns DNS off ends
// them.

import { formatListenAddress, parseListenAddresses, type ListenAddress } from '#contract';
import { type DnsSocket, DnsSockets, type Listening } from '#platform/sockets';
import type { DnsApplied, DnsPlan } from '#control/plan';
import type { ExplanationOutcome, ExplanationWanted } from '#control/explain';
import type { ListenOccasion } from '../messages/messages.ts';
import type { DnsTraces } from '#history/thread';
import type { ThreadStatus } from '#platform/threads';
import { readSnapshotFile } from '#lists/snapshot';
import { closedRows } from './closed-dns.ts';
import { DnsWorkers, type DnsWorkersOptions } from './dns-workers.ts';
import { usualWorkers } from './worker-count.ts';

export type DnsServiceOptions = Omit<DnsWorkersOptions, 'workers' | 'memory'> & {
  /** Loaded when there are workers to make it for. */
  readonly memory: () => Promise<DnsWorkersOptions['memory']>;
};

const setting = 'dns.listen';
/**
 * Ten minutes, as long as a restart may take (handover/patience.ts): a successor waits for this start. A
 * worker that dies or is silent meanwhile ends the restart earlier.
 */
const startMaxMs = 600_000;
const nobody: DnsApplied = { workers: 0, late: [] };

export class DnsService {
  readonly #options: DnsServiceOptions;
  readonly #sockets: DnsSockets;
  /** As many workers as there were read from the sockets that were left. */
  readonly #leftWorkers: number;
  #addresses: readonly ListenAddress[] = [];
  #plan: DnsPlan | undefined;
  /** The compiled lists. */
  #snapshot: SharedArrayBuffer | undefined;
  #workers: DnsWorkers | undefined;
  /** Those that were ended last. */
  #last: DnsWorkers | undefined;
  /** Names the workers that do not start. */
  #starting: Promise<readonly string[]> = Promise.resolve([]);
  /** What the api thread still asks for while it ends starts no worker again. */
  #isDrained = false;
  /** One after the other: each looks at what the one before has opened or started. */
  #turn: Promise<unknown> = Promise.resolve();

  /** `left` are the sockets of a predecessor. */
  constructor(options: DnsServiceOptions, left: readonly DnsSocket[]) {
    this.#options = options;
    this.#sockets = new DnsSockets({ libc: options.libc, setting });
    this.#sockets.adopt(left);
    this.#leftWorkers = Math.max(0, ...left.map(({ fds }) => fds.length));
  }

  get statuses(): readonly ThreadStatus[] {
    return this.#workers?.statuses ?? [];
  }

  /** What the workers leave behind for others to read. */
  get memory(): readonly DnsTraces[] {
    return this.#workers?.memory ?? [];
  }

  /** Also of workers that have ended, for whoever takes what they left. */
  get lastMemory(): readonly DnsTraces[] {
    return (this.#workers ?? this.#last)?.memory ?? [];
  }

  /** Whether there is anything in it that nobody took. */
  get hasRecords(): boolean {
    return (this.#workers ?? this.#last)?.hasRecords ?? false;
  }

  /** Whether there is something to answer by, and addresses to do so on. */
  get isWanted(): boolean {
    return (this.#plan?.listen ?? '') !== '';
  }

  /** What can be left to a successor. */
  get estate(): readonly DnsSocket[] {
    return this.#sockets.listening.open;
  }

  get listening(): Pick<Listening, 'dns' | 'closed'> {
    const { open, closed } = this.#sockets.listening;
    return { dns: placesOf(open, this.#readersOf), closed: closedRows(setting, closed) };
  }

  /**
   * The listen addresses on which queries are not answered. A wildcard is answered when one of its addresses
   * is: another program may have one of the others for good, as resolvers of virtual machines do.
   */
  get unanswered(): readonly string[] {
    const answered = new Set(
      this.#sockets.listening.open
        .filter((socket) => socket.transport === 'udp' && isReadByAll(this.#readersOf(socket)))
        .map(({ wanted }) => wanted),
    );
    return this.#addresses.map(formatListenAddress).filter((text) => !answered.has(text));
  }

  readonly #readersOf = (socket: DnsSocket): Readers => this.#workers?.readersOf(socket) ?? [];

  /** Answers as it was kept on the disk; resolves with the workers that do not start. */
  async startWith(plan: DnsPlan): Promise<readonly string[]> {
    this.#plan = plan;
    await this.#inTurn(async () => {
      await this.#open(plan.listen, 'start');
      await this.#begin(startMaxMs);
    });
    return this.#starting;
  }

  /** The reason when that cannot be done, and then everything is as before. */
  async listen(text: string, occasion: ListenOccasion): Promise<string | undefined> {
    return this.#inTurn(async () => {
      const problem = await this.#open(text, occasion);
      await this.#begin();
      return problem;
    });
  }

  /** The number of workers stays what it was at the start. */
  async apply(plan: DnsPlan, snapshot: SharedArrayBuffer | undefined): Promise<DnsApplied> {
    this.#snapshot = snapshot ?? this.#snapshot;
    const workers = this.#plan?.workers ?? plan.workers;
    this.#plan = { ...plan, workers };
    if (this.#workers !== undefined) return this.#workers.apply(plan.options, snapshot);
    await this.#inTurn(() => this.#begin());
    return { late: await this.#starting, workers: this.statuses.length };
  }

  async flush(name: string | undefined): Promise<DnsApplied> {
    return this.#workers?.flush(name) ?? nobody;
  }

  async count(): Promise<DnsApplied> {
    return this.#workers?.count() ?? nobody;
  }

  async explain(wanted: ExplanationWanted): Promise<ExplanationOutcome> {
    return this.#workers?.explain(wanted) ?? { kind: 'unavailable' };
  }

  async saveCaches(): Promise<void> {
    await this.#workers?.saveCaches();
  }

  /** Ends all workers by force and starts them anew; resolves when they serve. */
  async replace(reason: string): Promise<void> {
    await this.#workers?.replace(reason);
  }

  /** True when addresses have come or gone. */
  async rescan(): Promise<boolean> {
    return this.#inTurn(async () => {
      const now = await this.#sockets.rescan();
      if (now !== undefined) await this.#begin();
      return now !== undefined;
    });
  }

  /** What is in flight is answered; the sockets stay open. */
  async drain(saves: boolean): Promise<void> {
    this.#isDrained = true;
    return this.#inTurn(() => this.#endWorkers(saves));
  }

  /** Answers again after `drain`. */
  async resume(): Promise<void> {
    this.#isDrained = false;
    return this.#inTurn(() => this.#begin());
  }

  async #endWorkers(saves: boolean): Promise<void> {
    const workers = this.#workers;
    this.#workers = undefined;
    this.#last = workers ?? this.#last;
    await workers?.stop(saves);
  }

  close(): void {
    this.#sockets.close();
  }

  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(step);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** At a start what can be opened is, and the rest is tried again; a change is made whole or not at all. */
  async #open(text: string, occasion: ListenOccasion): Promise<string | undefined> {
    const parsed = parseListenAddresses(text);
    if (!parsed.ok) return `${setting}: ${parsed.problem}`;
    const problem = occasion === 'change' ? await this.#tryBeside(parsed.addresses) : undefined;
    if (problem !== undefined) return problem;
    this.#addresses = parsed.addresses;
    await this.#sockets.open(parsed.addresses, this.#count());
    return undefined;
  }

  /** Opens the new addresses while the old ones stay, so that a failure costs nobody anything. */
  async #tryBeside(wanted: readonly ListenAddress[]): Promise<string | undefined> {
    const before = new Set(this.#sockets.listening.closed.map(({ problem }) => problem));
    const old = this.#addresses.filter((address) => !wanted.some((one) => isSame(one, address)));
    const { closed } = await this.#sockets.open([...old, ...wanted], this.#count());
    const failed = closed.find(({ problem }) => !before.has(problem));
    if (failed !== undefined) await this.#sockets.open(this.#addresses, this.#count());
    return failed?.problem;
  }

  /** Lets the workers follow what was opened and closed. */
  async #begin(maxMs?: number): Promise<void> {
    const { open } = this.#sockets.listening;
    if (this.#workers !== undefined) {
      if (open.length === 0) await this.#endWorkers(true);
      else await this.#workers.followSockets(open);
      return;
    }
    const plan = this.#plan;
    if (open.length === 0 || plan === undefined || this.#isDrained) return;
    // As kept, whoever says by which plan: one that the disk did not have, as after an upgrade, is no reason
    // to answer without lists.
    this.#snapshot ??= readSnapshotFile(this.#options.dataDir);
    const workers = this.#count();
    // They may have been opened before it was known how many would read from them.
    const fitting = await this.#sockets.open(this.#addresses, workers);
    const options = { ...this.#options, workers, memory: await this.#options.memory() };
    this.#workers = new DnsWorkers(options, plan.options, this.#snapshot, fitting.open);
    this.#options.onStatus();
    this.#starting = this.#workers.start(maxMs);
  }

  #count(): number {
    const wanted = this.#plan?.workers ?? this.#leftWorkers;
    return wanted > 0 ? wanted : usualWorkers();
  }
}

type Readers = ReturnType<DnsWorkers['readersOf']>;

const isReadByAll = (readers: Readers): boolean => readers.length > 0 && readers.every(({ reads }) => reads);

/** One row for each address, which UDP and TCP share. */
const placesOf = (
  open: readonly DnsSocket[],
  readersOf: (socket: DnsSocket) => Readers,
): Listening['dns'] => {
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
};

const isSame = (one: ListenAddress, other: ListenAddress): boolean =>
  formatListenAddress(one) === formatListenAddress(other);
