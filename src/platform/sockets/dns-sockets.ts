// The sockets that DNS is answered on. They belong to the main thread: workers serve on copies, and a
// successor process inherits the descriptors. Each local address has one UDP socket per worker, so that
// replies leave from the address that was queried, and one TCP socket, which all workers share: a wildcard
// socket would be refused where another program uses a single address, as resolvers on loopback do. Addresses
// that cannot be bound are reported and retried; the addresses of a wildcard are updated when interfaces
// change. A socket that is still wanted is never closed and reopened, because its waiting packets would be
// lost.

import { formatListenAddress, limits, type ListenAddress } from '#contract';
import type { ClosedDnsSocket, DnsListening, DnsSocket } from './dns-socket.ts';
import { freeDnsPort } from './free-dns-port.ts';
import { readInterfaces, type Interfaces } from './interfaces.ts';
import type { Libc } from './libc.ts';
import { defaultBacklog, type Opened, type TcpListener } from './listener.ts';
import { expandAddress } from './local-addresses.ts';
import { openTcpPlain } from './plain-tcp.ts';
import { openUdpPlain } from './plain-udp.ts';
import { openTcp } from './tcp-listeners.ts';
import { type OpenedUdp, openUdp, withWorkers } from './udp-listeners.ts';
import { SerialQueue } from '../tasks/serial-queue.ts';

export interface DnsSocketsOptions {
  readonly libc: Libc | undefined;
  readonly setting: string;
  /** For tests; by default the interfaces of this machine. */
  readonly interfaces?: () => Interfaces;
}

interface Target {
  /** The listen address in the setting that this address belongs to. */
  readonly wanted: string;
  readonly address: ListenAddress;
}

interface Kept<O> extends Target {
  readonly id: number;
  readonly opened: O;
}

export class DnsSockets {
  readonly #libc: Libc | undefined;
  readonly #setting: string;
  readonly #interfaces: () => Interfaces;
  #udp = new Map<string, Kept<OpenedUdp>>();
  #tcp = new Map<string, Kept<Opened<TcpListener>>>();
  /** The port that was chosen for port 0, by the text of the listen address. */
  readonly #settled = new Map<string, number>();
  #addresses: readonly ListenAddress[] = [];
  #workers = 1;
  #seen = '';
  /** Addresses above the limit. */
  #leftOut: ClosedDnsSocket[] = [];
  #nextId = 1;
  /** Steps run one after the other: a socket that two steps opened would never be closed. */
  readonly #queue = new SerialQueue();

  constructor({ libc, setting, interfaces = readInterfaces }: DnsSocketsOptions) {
    this.#libc = libc;
    this.#setting = setting;
    this.#interfaces = interfaces;
  }

  /** Opens new sockets and closes those that are not wanted any more; the others stay open. */
  async open(addresses: readonly ListenAddress[], workers: number): Promise<DnsListening> {
    return this.#queue.run(async () => {
      this.#addresses = addresses;
      this.#workers = workers;
      await this.#applyInterfaces(this.#interfaces());
      return this.listening;
    });
  }

  /** To be called every few seconds; returns `undefined` when nothing has changed. */
  async rescan(): Promise<DnsListening | undefined> {
    return this.#queue.run(() => this.#rescan());
  }

  async #rescan(): Promise<DnsListening | undefined> {
    const interfaces = this.#interfaces();
    if (JSON.stringify(interfaces) === this.#seen && this.#isComplete) return undefined;
    const before = JSON.stringify(this.listening);
    await this.#applyInterfaces(interfaces);
    return JSON.stringify(this.listening) === before ? undefined : this.listening;
  }

  /** Descriptors inherited from the predecessor. `open` then keeps those that are wanted. */
  adopt(sockets: readonly DnsSocket[]): void {
    for (const { address, family, fds, id, port, transport, wanted } of sockets) {
      this.#nextId = Math.max(this.#nextId, id + 1);
      if (wanted.endsWith(':0')) this.#settled.set(wanted, port);
      const kept = { id, wanted, address: addressOf(family, address, port) };
      const key = formatListenAddress(kept.address);
      if (transport === 'udp') {
        const opened = { ok: true, sockets: { family, address, port, fds } } as const;
        this.#udp.set(key, { ...kept, opened });
      } else {
        const listener = { kind: 'tcp', fd: fds[0], family, address, port, backlog: defaultBacklog } as const;
        this.#tcp.set(key, { ...kept, opened: { ok: true, listener } });
      }
    }
  }

  get listening(): DnsListening {
    const open: DnsSocket[] = [];
    const closed: ClosedDnsSocket[] = [];
    for (const { id, wanted, address, opened } of this.#udp.values()) {
      if (opened.ok) open.push({ id, wanted, transport: 'udp', ...opened.sockets });
      else if (!isNotReadyYet(wanted, address, opened.code))
        closed.push(describeClosed('udp', wanted, address, opened));
    }
    for (const { id, wanted, address, opened } of this.#tcp.values()) {
      if (opened.ok) open.push(describeTcp(id, wanted, address, opened.listener));
      else if (!isNotReadyYet(wanted, address, opened.code))
        closed.push(describeClosed('tcp', wanted, address, opened));
    }
    return { open, closed: [...closed, ...this.#leftOut] };
  }

  get #isComplete(): boolean {
    return [...this.#udp.values(), ...this.#tcp.values()].every(({ opened }) => opened.ok);
  }

  close(): void {
    for (const { opened } of this.#udp.values()) this.#closeUdp(opened);
    for (const { opened } of this.#tcp.values()) this.#closeTcp(opened);
    this.#udp.clear();
    this.#tcp.clear();
    this.#settled.clear();
    this.#addresses = [];
  }

  async #applyInterfaces(interfaces: Interfaces): Promise<void> {
    this.#seen = JSON.stringify(interfaces);
    const targets = await this.#targets(interfaces);
    // Close first: a socket that is not wanted may use the port of a new one.
    for (const [key, { opened }] of this.#udp) if (!targets.has(key)) this.#closeUdp(opened);
    for (const [key, { opened }] of this.#tcp) if (!targets.has(key)) this.#closeTcp(opened);
    const udp = new Map<string, Kept<OpenedUdp>>();
    const tcp = new Map<string, Kept<Opened<TcpListener>>>();
    for (const [key, target] of targets) {
      udp.set(key, await this.#keepUdp(this.#udp.get(key), target));
      tcp.set(key, await this.#keepTcp(this.#tcp.get(key), target));
    }
    this.#udp = udp;
    this.#tcp = tcp;
  }

  /** The addresses to listen on, by their text. */
  async #targets(interfaces: Interfaces): Promise<ReadonlyMap<string, Target>> {
    const targets = new Map<string, Target>();
    this.#leftOut = [];
    for (const [wanted, listen] of await this.#settlePorts()) {
      for (const address of expandAddress(listen, interfaces)) {
        const text = formatListenAddress(address);
        if (targets.size < limits.dnsAddresses || targets.has(text)) targets.set(text, { wanted, address });
        else this.#leftOut.push(tooMany(wanted, text));
      }
    }
    return targets;
  }

  /** The listen addresses by their text; port 0 is replaced by one that is free for UDP and TCP. */
  async #settlePorts(): Promise<Map<string, ListenAddress>> {
    const wanted = new Map<string, ListenAddress>();
    for (const address of this.#addresses) {
      const text = uniqueText(address, wanted);
      const port = address.port === 0 ? this.#settled.get(text) : address.port;
      const found = port ?? (await freeDnsPort(this.#libc, address));
      if (address.port === 0 && found !== 0) this.#settled.set(text, found);
      wanted.set(text, { ...address, port: found });
    }
    for (const text of this.#settled.keys()) if (!wanted.has(text)) this.#settled.delete(text);
    return wanted;
  }

  async #keepUdp(before: Kept<OpenedUdp> | undefined, { wanted, address }: Target): Promise<Kept<OpenedUdp>> {
    const kept = before?.opened.ok === true ? this.#fitWorkers(before) : undefined;
    if (kept !== undefined) return { ...kept, wanted };
    const options = { setting: this.#setting, workers: this.#workers };
    const opened =
      this.#libc === undefined ? await openUdpPlain(address, options) : openUdp(this.#libc, address, options);
    return { id: before?.id ?? this.#allocateId(), wanted, address, opened };
  }

  /** If an additional worker gets no socket, the others keep theirs. */
  #fitWorkers(kept: Kept<OpenedUdp>): Kept<OpenedUdp> {
    if (!kept.opened.ok || this.#libc === undefined) return kept;
    const { sockets } = kept.opened;
    if (sockets.fds.length === this.#workers) return kept;
    const fitted = withWorkers(this.#libc, kept.address, sockets.fds, this.#workers);
    if (!fitted.ok) return kept;
    return { ...kept, opened: { ok: true, sockets: { ...sockets, fds: fitted.value } } };
  }

  async #keepTcp(
    before: Kept<Opened<TcpListener>> | undefined,
    { wanted, address }: Target,
  ): Promise<Kept<Opened<TcpListener>>> {
    if (before?.opened.ok === true) return { ...before, wanted };
    const options = { setting: this.#setting };
    const opened =
      this.#libc === undefined ? await openTcpPlain(address, options) : openTcp(this.#libc, address, options);
    return { id: before?.id ?? this.#allocateId(), wanted, address, opened };
  }

  #allocateId(): number {
    const id = this.#nextId;
    this.#nextId += 1;
    return id;
  }

  #closeUdp(opened: OpenedUdp): void {
    if (opened.ok) for (const fd of opened.sockets.fds) this.#libc?.close(fd);
  }

  #closeTcp(opened: Opened<TcpListener>): void {
    if (opened.ok && opened.listener.fd !== undefined) this.#libc?.close(opened.listener.fd);
  }
}

/**
 * An address of a wildcard that the interface has but that cannot be bound yet: IPv6 is still checking
 * whether another machine uses it (RFC 4862 section 5.4), or it has just been removed. It is retried without
 * a report.
 */
function isNotReadyYet(wanted: string, address: ListenAddress, code: string): boolean {
  return code === 'EADDRNOTAVAIL' && wanted !== formatListenAddress(address);
}

/** `*:0` may be given twice, and each gets its own port. */
function uniqueText(address: ListenAddress, taken: ReadonlyMap<string, unknown>): string {
  const text = formatListenAddress(address);
  let unique = text;
  for (let copy = 2; taken.has(unique); copy += 1) unique = `${copy}. ${text}`;
  return unique;
}

function addressOf(family: ListenAddress['family'], address: string, port: number): ListenAddress {
  const [host = '', zone = ''] = address.split('%');
  return { family, host, zone, port };
}

function describeTcp(id: number, wanted: string, asked: ListenAddress, listener: TcpListener): DnsSocket {
  const { address, fd, port } = listener;
  const family = asked.family === 'ipv6' ? 'ipv6' : 'ipv4';
  return { id, wanted, transport: 'tcp', family, address, port, fds: fd === undefined ? [] : [fd] };
}

function describeClosed(
  transport: DnsSocket['transport'],
  wanted: string,
  address: ListenAddress,
  { code, problem }: { readonly code: string; readonly problem: string },
): ClosedDnsSocket {
  return { transport, wanted, address: formatListenAddress(address), code, problem };
}

function tooMany(wanted: string, address: string): ClosedDnsSocket {
  const max = limits.dnsAddresses;
  return {
    transport: 'udp',
    wanted,
    address,
    code: '',
    problem: `${address} is not listened on: more than ${max} addresses. List those you need.`,
  };
}
