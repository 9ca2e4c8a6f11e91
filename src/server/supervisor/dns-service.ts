// DNS as main sees it: the sockets, the workers that read from them, and what both were told last. Workers run
// whenever there is something to listen on and something to answer by; a setting that turns DNS off ends them.

import { availableParallelism } from 'node:os';
import { parseListenAddresses, type ListenAddress } from '#contract';
import type { DnsApplied, DnsPlan, DnsSocket } from '../threads/dns-messages.ts';
import type { ClosedListener, Listening, ListenOccasion, ThreadStatus } from '../threads/messages.ts';
import { DnsWorkers, type DnsWorkersOptions } from './dns-workers.ts';

export interface DnsSocketsKeeper {
  /** What is open now, one for each address. */
  readonly sockets: readonly DnsSocket[];
  readonly closed: readonly ClosedListener[];
  /** Opens what is new and closes what is not asked for; with `strict` one problem leaves all as it was. */
  open(addresses: readonly ListenAddress[], workers: number, strict: boolean): string | undefined;
  /** Follows the addresses of the machine; true when something has changed. */
  rescan(): boolean;
  adopt(sockets: readonly DnsSocket[]): void;
  close(): void;
}

export interface DnsServiceOptions extends Omit<DnsWorkersOptions, 'workers'> {
  readonly sockets: DnsSocketsKeeper;
}

const workersMax = 4;
const nobody: DnsApplied = { workers: 0, late: [] };

export class DnsService {
  readonly #options: DnsServiceOptions;
  #plan: DnsPlan | undefined;
  #workers: DnsWorkers | undefined;

  constructor(options: DnsServiceOptions) {
    this.#options = options;
  }

  get statuses(): readonly ThreadStatus[] {
    return this.#workers?.statuses ?? [];
  }

  get estate(): readonly DnsSocket[] {
    return this.#options.sockets.sockets;
  }

  get listening(): Pick<Listening, 'dns' | 'closed'> {
    const { sockets, closed } = this.#options.sockets;
    return { dns: sockets.map(({ address, port }) => ({ address, port })), closed };
  }

  /** Answers as it was kept on the disk; resolves with the workers that do not start. */
  async startWith(plan: DnsPlan, left: readonly DnsSocket[]): Promise<readonly string[]> {
    this.#plan = plan;
    if (left.length > 0) this.#options.sockets.adopt(left);
    this.#open(plan.listen, 'start');
    return this.#begin();
  }

  /** The reason when that cannot be done, and then everything is as before. */
  listen(text: string, occasion: ListenOccasion): string | undefined {
    const problem = this.#open(text, occasion);
    if (problem === undefined) void this.#begin();
    return problem;
  }

  async apply(plan: DnsPlan): Promise<DnsApplied> {
    const isFirst = this.#plan === undefined;
    this.#plan = { ...plan, workers: this.#plan?.workers ?? plan.workers };
    if (this.#workers !== undefined && !isFirst) return this.#workers.apply(plan.options);
    const late = await this.#begin();
    return { workers: this.statuses.length, late };
  }

  async flush(name: string | undefined): Promise<DnsApplied> {
    return this.#workers?.flush(name) ?? nobody;
  }

  /** True when addresses have come or gone. */
  rescan(): boolean {
    const isOther = this.#options.sockets.rescan();
    if (isOther) this.#workers?.followSockets(this.#options.sockets.sockets);
    return isOther;
  }

  /** What is in flight is answered; the sockets stay open. */
  async drain(): Promise<void> {
    await this.#workers?.stop();
    this.#workers = undefined;
  }

  close(): void {
    this.#options.sockets.close();
  }

  #open(text: string, occasion: ListenOccasion): string | undefined {
    const parsed = parseListenAddresses(text);
    if (!parsed.ok) return `dns.listen: ${parsed.problem}`;
    return this.#options.sockets.open(parsed.addresses, this.#count(), occasion === 'change');
  }

  /** Lets the workers follow what was opened and closed. */
  async #begin(): Promise<readonly string[]> {
    const { sockets } = this.#options.sockets;
    if (this.#workers !== undefined) {
      if (sockets.length === 0) await this.drain();
      else this.#workers.followSockets(sockets);
      return [];
    }
    if (sockets.length === 0 || this.#plan === undefined) return [];
    this.#workers = new DnsWorkers({ ...this.#options, workers: this.#count() }, this.#plan.options, sockets);
    return this.#workers.start();
  }

  #count(): number {
    const wanted = this.#plan?.workers ?? 0;
    return wanted > 0 ? wanted : Math.min(workersMax, Math.max(1, availableParallelism() - 1));
  }
}
