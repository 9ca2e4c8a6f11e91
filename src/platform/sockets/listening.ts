// Where the program listens, and where it should but cannot: the supervisor sends it to the other threads.

import type { TcpListener } from './listener.ts';

export interface OpenListener {
  readonly setting: string;
  readonly listener: TcpListener;
}

/** An address in a setting that could not be opened. */
export interface ClosedListener {
  readonly setting: string;
  readonly address: string;
  readonly port: number;
  readonly problem: string;
}

export interface Listening {
  /** The listeners of the api thread. */
  readonly open: readonly OpenListener[];
  readonly closed: readonly ClosedListener[];
  /** The open sockets for DNS. */
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
