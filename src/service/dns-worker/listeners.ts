// The listeners of one dns worker: for each UDP address that main holds open a listener on a copy of this
// worker's descriptor, for each TCP address one on a copy of the descriptor that all workers share. The list
// changes while the worker runs, as addresses come and go.

import { limits } from '#contract/limits';
import type { Server } from 'node:net';
import { ipBytes } from '#wire';
import {
  StreamLimits,
  StreamListener,
  transports,
  UdpListener,
  type Answerer,
  type Culprit,
  type Datagrams,
  type LocalAddress,
  type Outgoing,
} from '#engine';
import { keepPort } from './datagrams.ts';
import { attach, connectionsWithin, defaultBacklog, type DnsSocket, type Libc } from '#platform/sockets';
import { errorText, SerialQueue } from '#platform/tasks';

export interface ListenerParts {
  readonly index: number;
  /** How many share the descriptors of the process. */
  readonly workers: number;
  readonly libc: Libc | undefined;
  readonly datagrams: Datagrams | undefined;
  readonly answerer: Answerer;
  readonly outgoing: Outgoing;
  /** Where the query of a connection is noted that is being worked on. */
  readonly streams: SharedArrayBuffer;
  readonly onAttached: (fd: number, copy: number) => void;
  readonly onCulprit: (culprit: Culprit) => void;
  readonly notice: (level: 'error' | 'warn', text: string) => void;
}

export class DnsListeners {
  readonly #parts: ListenerParts;
  readonly #udp = new Map<number, UdpListener>();
  readonly #tcp = new Map<number, Server>();
  readonly #streams: StreamListener;
  /** One list after the other: an address that goes while it is being opened is closed after that. */
  readonly #changes = new SerialQueue();

  constructor(parts: ListenerParts) {
    const { answerer, outgoing, streams, workers } = parts;
    this.#parts = parts;
    const connections = connectionsWithin(limits.dnsConnections, workers);
    const streamLimits = new StreamLimits({ connections });
    this.#streams = new StreamListener({ answerer, outgoing, limits: streamLimits, box: streams });
  }

  setSockets(
    sockets: readonly DnsSocket[],
    blackBoxes: ReadonlyMap<number, SharedArrayBuffer>,
  ): Promise<void> {
    return this.#changes.run(() => this.#change(sockets, blackBoxes));
  }

  /** The ids of the sockets that are read from. */
  get served(): readonly number[] {
    return [...this.#udp.keys(), ...this.#tcp.keys()];
  }

  /** Leaves what comes from now on to others; what was taken still gets its answer. */
  stopReading(): void {
    for (const listener of this.#udp.values()) listener.stopReading();
    for (const server of this.#tcp.values()) server.close();
  }

  /** Connections finish what they have asked, for a moment. */
  drainStreams(longestMs: number): Promise<void> {
    return this.#streams.drain(longestMs);
  }

  close(): void {
    this.#letGo([]);
    this.#streams.destroy();
  }

  async #change(
    sockets: readonly DnsSocket[],
    blackBoxes: ReadonlyMap<number, SharedArrayBuffer>,
  ): Promise<void> {
    this.#letGo(sockets.map(({ id }) => id));
    for (const socket of sockets) {
      if (this.#udp.has(socket.id) || this.#tcp.has(socket.id)) continue;
      const box = blackBoxes.get(socket.id);
      const { isStream } = transports[socket.transport];
      if (isStream) await this.#try(socket, () => this.#openTcp(socket));
      else if (box !== undefined) await this.#try(socket, () => this.#openUdp(socket, box));
    }
  }

  #letGo(wanted: readonly number[]): void {
    for (const [id, listener] of this.#udp) {
      if (wanted.includes(id)) continue;
      listener.close();
      this.#udp.delete(id);
    }
    for (const [id, server] of this.#tcp) {
      if (wanted.includes(id)) continue;
      server.close();
      this.#tcp.delete(id);
    }
  }

  async #try(socket: DnsSocket, open: () => Promise<void>): Promise<void> {
    try {
      await open();
    } catch (error) {
      const reason = errorText(error);
      this.#parts.notice('error', `DNS is not answered on ${placeOf(socket)}: ${reason}.`);
    }
  }

  async #openUdp(socket: DnsSocket, box: SharedArrayBuffer): Promise<void> {
    const { answerer, datagrams, index, libc, notice, onCulprit, outgoing } = this.#parts;
    const listener = await UdpListener.open({
      family: socket.family === 'ipv4' ? 'ipv4' : 'ipv6',
      local: localAddress(socket),
      port: socket.port,
      fd: this.#copy(socket.fds[index]),
      datagrams,
      keepPort: (fd) => keepPort(libc, fd),
      box,
      answerer,
      outgoing,
      onCulprit,
      onDropped: (queries) =>
        notice(
          'warn',
          `${queries} queries that the thread held on ${placeOf(socket)} when it fell silent were dropped. ` +
            'Clients ask again by themselves.',
        ),
      onProblem: (code) => notice('warn', `DNS on ${placeOf(socket)} has a problem: ${code}.`),
    });
    this.#udp.set(socket.id, listener);
  }

  /** Without a descriptor only the first worker can have the address. */
  async #openTcp({ id, family, address, port, fds }: DnsSocket): Promise<void> {
    const { index, libc, onAttached } = this.#parts;
    const [fd] = fds;
    if (fd === undefined && index > 0) return;
    const server = this.#streams.createServer();
    const listener = { kind: 'tcp', fd, family, address, port, backlog: defaultBacklog } as const;
    const copy = await attach(libc, server, listener);
    if (fd !== undefined && copy !== undefined) onAttached(fd, copy);
    this.#tcp.set(id, server);
  }

  /** The supervisor hears of every copy, to take it back from a thread that hangs. */
  #copy(fd: number | undefined): number | undefined {
    if (fd === undefined || this.#parts.libc === undefined) return undefined;
    const copied = this.#parts.libc.dup(fd);
    if (!copied.ok) throw new Error(`cannot copy descriptor ${fd} (${copied.code})`);
    this.#parts.onAttached(fd, copied.value);
    return copied.value;
  }
}

function placeOf({ address, port, transport }: DnsSocket): string {
  return `${address} port ${port} over ${transports[transport].title}`;
}

function localAddress({ address }: DnsSocket): LocalAddress {
  const text = address.replace(/^\[|\]$/gu, '');
  return { text, bytes: ipBytes(text.split('%', 1)[0] ?? text) ?? new Uint8Array(4) };
}
