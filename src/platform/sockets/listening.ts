// Where the program listens, and where it should and cannot: what the supervisor tells the other threads.

import type { TcpListener } from './listener.ts';

export interface OpenListener {
  readonly setting: string;
  readonly listener: TcpListener;
}

/** An address that a setting asks for and that could not be opened. */
export interface ClosedListener {
  readonly setting: string;
  readonly address: string;
  readonly port: number;
  readonly problem: string;
}

export interface Listening {
  /** What the api thread serves on. */
  readonly open: readonly OpenListener[];
  readonly closed: readonly ClosedListener[];
  /** Where sockets for DNS are open. */
  readonly dns: readonly DnsPlace[];
}

interface DnsPlace {
  readonly address: string;
  readonly port: number;
  /** Whether a running worker reads from its UDP socket. */
  readonly isAnswered: boolean;
  /** The workers that do not read from all of its sockets. */
  readonly missing: readonly string[];
}
