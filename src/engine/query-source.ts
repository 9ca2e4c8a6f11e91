// Where a query comes from, and where the answer goes: what the engine knows of a listener. A listener fills
// in `client` for each query and calls the engine; an answer that is known at once is written straight into
// the listener's buffer, and for one that has to wait the listener holds the way back under a ticket.

import type { ClientAddress } from './client-address.ts';
import type { Transport } from './transport.ts';

/** The address that was asked, as bytes: our own names are answered with it. */
export interface LocalAddress {
  /** Without brackets, for messages. */
  readonly text: string;
  /** 4 or 16 bytes. */
  readonly bytes: Uint8Array;
}

export interface QuerySource {
  readonly transport: Transport;
  readonly client: ClientAddress;
  readonly clientPort: number;
  /** A name the client gave itself by its TLS identity or the path of its request. */
  readonly clientName: string | undefined;
  readonly local: LocalAddress;
  /** Keeps the way back for an answer that comes later; -1 when no more can be kept. */
  hold(): number;
  /**
   * Says that what follows is work on this ticket's answer: should the thread die before it is delivered,
   * this query did it.
   */
  workingOn(ticket: number): void;
  /** The late answer for a ticket, which is free again afterwards. Length 0: nothing will come. */
  deliver(ticket: number, bytes: Uint8Array, start: number, length: number): void;
  /** The query is refused by access rule or rate limit: the next one need not be read soon. */
  onUnwelcome?(): void;
}

/** What listeners call. */
export interface Answerer {
  /**
   * Answers the query in `bytes`: writes to `out` from `outStart` on at most `outBytes` and returns how many
   * bytes were written; 0 when nothing is to be sent; `later` when the answer will be delivered to a ticket
   * of the source.
   */
  answer(
    source: QuerySource,
    bytes: Uint8Array,
    start: number,
    length: number,
    out: Uint8Array,
    outStart: number,
    outBytes: number,
  ): number;
  /** Called before the first query of a wake-up: reads the clock once for all of them. */
  beginBatch(): void;
  /** Called after the last one: sends what was put together meanwhile. */
  endBatch(): void;
}

export const later = -1;
