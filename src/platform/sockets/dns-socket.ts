/**
 * A socket of DNS as plain data, the shape in which the main thread hands it to workers and to a successor
 * process: descriptors are numbers that hold in every thread of the process.
 */
export interface DnsSocket {
  /** The same for as long as the socket lives, also in a successor process. */
  readonly id: number;
  readonly transport: 'udp' | 'tcp';
  /** The listen address that asks for it, as the setting has it. */
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
  readonly closed: readonly {
    readonly transport: DnsSocket['transport'];
    readonly address: string;
    readonly problem: string;
  }[];
}
