// A DNS socket as plain data, as the main thread passes it to workers and to a successor process: descriptors
// are numbers that are valid in every thread of the process.

export interface DnsSocket {
  /** Stays the same as long as the socket exists, also in a successor process. */
  readonly id: number;
  readonly transport: 'udp' | 'tcp';
  /** The listen address in the setting that this socket belongs to. */
  readonly wanted: string;
  readonly family: 'ipv4' | 'ipv6';
  /** The bound address, with the zone of a link-local one. */
  readonly address: string;
  readonly port: number;
  /** UDP: one per worker. TCP: one for all. Empty without libc: the first worker listens by address. */
  readonly fds: readonly number[];
}

export interface DnsListening {
  readonly open: readonly DnsSocket[];
  readonly closed: readonly ClosedDnsSocket[];
}

export interface ClosedDnsSocket {
  readonly transport: DnsSocket['transport'];
  /** The listen address in the setting that this socket belongs to. */
  readonly wanted: string;
  readonly address: string;
  /** The system's error code; '' when no system call has failed. */
  readonly code: string;
  readonly problem: string;
}
