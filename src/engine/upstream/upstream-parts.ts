// What an upstream needs: sockets, randomness, the addresses of host names, and callbacks for the outcome of
// an attempt.

import type { Attempt } from './exchange.ts';
import type { UpstreamAddress } from './parse-upstream.ts';
import type { PoolParts } from './udp-pool.ts';

/** A kept connection that opens itself when something is to be sent and closes when idle. */
export interface Connection {
  send(attempt: Attempt, nowMs: number): boolean;
  tick(nowMs: number): void;
  readonly isQuiet: boolean;
  /** No handshake has to be waited for. */
  readonly isOpen: boolean;
  /** Closes it and hands out what was in flight. */
  removeAll(): readonly Attempt[];
  /** Attempts on it fail. */
  close(): void;
}

type OpenConnection = (upstream: UpstreamAddress, address: string, nowMs: number) => Connection;

export interface HostNames {
  /** Undefined while it is not known; `Upstream.setAddress` is called when it is. */
  addressOf(host: string, nowMs: number): string | undefined;
  /** Whether the wait for an address makes sense. */
  isResolving(host: string): boolean;
  /** The address in use does not answer: the next one may. */
  failed(host: string, nowMs: number): void;
}

export interface UpstreamParts extends PoolParts {
  readonly openConnection: OpenConnection;
  readonly names: HostNames;
  /** Whether questions over UDP are asked in mixed case; changes with the options. */
  readonly mixesCase: () => boolean;
}
