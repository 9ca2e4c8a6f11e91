// The options of the forwarder: plain data that can be sent between threads.

import type { Timeouts } from './exchanges.ts';
import type { Mode } from './exchange.ts';

/** Names and all below them are asked from other upstreams; none given means: from the usual ones. */
export interface DomainRoute {
  readonly domains: readonly string[];
  readonly upstreams: readonly string[];
}

/** Conditional forwarding: who knows the names of a local network. */
export interface ReverseRoute {
  /** `192.168.0.0/16`, `fd00::/8`, or one address. */
  readonly network: string;
  readonly upstream: string;
  /** The network's local domain. */
  readonly domain?: string | undefined;
}

export interface ForwarderOptions {
  readonly upstreams: readonly string[];
  /** The system's own resolvers, without ourselves: asked when no upstream is set. */
  readonly system: readonly string[];
  readonly mode: Mode;
  readonly fallback: readonly string[];
  /**
   * Resolvers for the addresses of upstreams given by name. Empty: the upstreams given by address, or the
   * system's.
   */
  readonly bootstrap: readonly string[];
  readonly domains: readonly DomainRoute[];
  readonly reverse: readonly ReverseRoute[];
  /** Of clients' questions. */
  readonly maxInFlight: number;
  /** Questions over UDP are sent in mixed case, to upstreams that send it back. */
  readonly mixedCase: boolean;
  /** Makes the names of the loop check; the same in all threads of a process, unknown to others. */
  readonly loopKey: string;
  readonly timeouts?: Timeouts | undefined;
  /** Certificates (PEM) that are trusted beside the usual ones. */
  readonly authorities?: readonly string[] | undefined;
}

export const defaultOptions: ForwarderOptions = {
  upstreams: [],
  system: [],
  mode: 'fastest',
  fallback: [],
  bootstrap: [],
  domains: [],
  reverse: [],
  maxInFlight: 2048,
  mixedCase: true,
  loopKey: '',
};
