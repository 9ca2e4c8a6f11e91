// The listeners of one dns worker: for each address that main holds open, a UDP listener on a copy of this
// worker's descriptor, and a TCP listener on a copy of the one that all workers share. The list changes while
// the worker runs, as addresses come and go.

import {
  ipBytes,
  UdpListener,
  type Answerer,
  type Culprit,
  type Datagrams,
  type LocalAddress,
  type Outgoing,
} from '#engine';
import { keepPort } from '../sockets/datagrams.ts';
import type { Libc } from '../sockets/libc.ts';
import type { DnsSocket } from '../threads/dns-messages.ts';

export interface ListenerParts {
  readonly index: number;
  readonly libc: Libc | undefined;
  readonly datagrams: Datagrams | undefined;
  readonly answerer: Answerer;
  readonly outgoing: Outgoing;
  readonly onAttached: (fd: number, copy: number) => void;
  readonly onCulprit: (culprit: Culprit) => void;
  readonly notice: (level: 'error' | 'warn', text: string) => void;
}

export class DnsListeners {
  readonly #parts: ListenerParts;
  readonly #udp = new Map<string, UdpListener>();

  constructor(parts: ListenerParts) {
    this.#parts = parts;
  }

  /** Queries that were taken and are not answered yet. */
  get waiting(): number {
    return [...this.#udp.values()].reduce((sum, listener) => sum + listener.waiting, 0);
  }

  async follow(
    sockets: readonly DnsSocket[],
    blackBoxes: ReadonlyMap<string, SharedArrayBuffer>,
  ): Promise<void> {
    for (const [id, listener] of this.#udp)
      if (!sockets.some((one) => one.id === id)) this.#close(id, listener);
    for (const socket of sockets) {
      const box = blackBoxes.get(socket.id);
      if (!this.#udp.has(socket.id) && box !== undefined) await this.#open(socket, box);
    }
  }

  close(): void {
    for (const [id, listener] of this.#udp) this.#close(id, listener);
  }

  #close(id: string, listener: UdpListener): void {
    listener.close();
    this.#udp.delete(id);
  }

  async #open(socket: DnsSocket, box: SharedArrayBuffer): Promise<void> {
    const { answerer, datagrams, index, libc, notice, onCulprit, outgoing } = this.#parts;
    const where = `${socket.address} port ${socket.port}`;
    try {
      const listener = await UdpListener.open({
        family: socket.family,
        local: localAddress(socket),
        port: socket.port,
        fd: this.#copy(socket.udpFds[index]),
        datagrams,
        keepPort: (fd) => keepPort(libc, fd),
        box,
        answerer,
        outgoing,
        onCulprit,
        onProblem: (code) => notice('warn', `DNS on ${where} over UDP has a problem: ${code}.`),
      });
      this.#udp.set(socket.id, listener);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      notice('error', `DNS is not answered on ${where} over UDP: ${reason}.`);
    }
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

function localAddress({ address }: DnsSocket): LocalAddress {
  const text = address.replace(/^\[|\]$/gu, '');
  return { text, bytes: ipBytes(text.split('%', 1)[0] ?? text) ?? new Uint8Array(4) };
}
