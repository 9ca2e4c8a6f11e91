// How queries reach us, as a table: all that differs between transports is a column, so that a new transport
// is a row here and a listener. Code reads the column that it needs and never compares names.

import { MAX_MESSAGE_BYTES } from '#wire';

/** What fits in one unfragmented datagram on practically every path (DNS flag day 2020). */
export const unfragmentedBytes = 1232;

export interface Transport {
  /** In metrics. */
  readonly name: string;
  /** In the log. */
  readonly title: string;
  /** In records and counters: the place of its row. */
  readonly number: number;
  /** Served by a stream listener, else by a datagram listener. */
  readonly isStream: boolean;
  /** The client says how much it can take (EDNS, RFC 6891); a longer answer is truncated. */
  readonly truncates: boolean;
  readonly maxAnswerBytes: number;
  /** The client has shown that its address is its own: an answer cannot go to a victim. */
  readonly provesAddress: boolean;
  /** Encrypted, so that answers are padded (RFC 7830, RFC 8467). */
  readonly pads: boolean;
}

export const transports = {
  udp: {
    name: 'udp',
    title: 'UDP',
    number: 0,
    isStream: false,
    truncates: true,
    maxAnswerBytes: unfragmentedBytes,
    provesAddress: false,
    pads: false,
  },
  tcp: {
    name: 'tcp',
    title: 'TCP',
    number: 1,
    isStream: true,
    truncates: false,
    maxAnswerBytes: MAX_MESSAGE_BYTES,
    provesAddress: true,
    pads: false,
  },
} as const satisfies Readonly<Record<string, Transport>>;

export type TransportName = keyof typeof transports;
