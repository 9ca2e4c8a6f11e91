// A listening socket as plain data, as the main thread passes it to a worker: the descriptor is a number that
// is valid in every thread of the process. Without libc there is no descriptor, and the worker listens by
// address. The backlog is included because Node calls listen(2) again on the copy, which sets the backlog of
// the shared socket again.

export interface TcpListener {
  readonly kind: 'tcp';
  readonly fd: number | undefined;
  readonly family: 'ipv4' | 'ipv6' | 'both';
  /** The bound address as text, with the zone of a link-local one. */
  readonly address: string;
  readonly port: number;
  readonly backlog: number;
}

export interface UnixListener {
  readonly kind: 'unix';
  readonly fd: number | undefined;
  readonly path: string;
  readonly backlog: number;
}

export type Listener = TcpListener | UnixListener;

export type Opened<L extends Listener> =
  | { readonly ok: true; readonly listener: L }
  | { readonly ok: false; readonly code: string; readonly problem: string };

/** Node's default; the kernel limits it to net.core.somaxconn. */
export const defaultBacklog = 511;
