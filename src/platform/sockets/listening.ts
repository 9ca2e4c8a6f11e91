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
  /** The listen address in the setting that it belongs to. */
  readonly wanted: string;
  /** The address and, for DNS, the transports: `192.0.2.5:53 (UDP and TCP)`. */
  readonly where: string;
  readonly kinds: readonly ('udp' | 'tcp')[];
  /** The system's error code; '' when no system call has failed. */
  readonly code: string;
  /** Why it is closed and what to do, without the address. */
  readonly reason: string;
  /** The whole sentence. */
  readonly problem: string;
}

/** A usual port that is not available, and the port that is used until it is. */
interface ReplacedPort {
  readonly setting: string;
  /** The listen address in the setting, as in `*:53`. */
  readonly wanted: string;
  readonly port: number;
}

export interface Listening {
  /** The listeners of the api thread. */
  readonly open: readonly OpenListener[];
  readonly closed: readonly ClosedListener[];
  /** The open sockets for DNS. */
  readonly dns: readonly DnsPlace[];
  readonly replaced: readonly ReplacedPort[];
}

interface DnsPlace {
  readonly address: string;
  readonly port: number;
  /** Whether a running worker reads from its UDP socket. */
  readonly isAnswered: boolean;
  /** The workers that do not read from all of its sockets. */
  readonly missing: readonly string[];
}
