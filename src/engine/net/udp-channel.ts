// A UDP socket that is connected to one peer and has a random port of its own: how upstreams are asked. With
// koffi it sends and receives by batches; without, one datagram at a time behind the same interface.

import type { Sender } from './outgoing.ts';

export interface UdpPeer {
  /** Without brackets; may carry a zone (fe80::1%eth0). */
  readonly address: string;
  readonly port: number;
}

export interface UdpChannelEvents {
  /** Called for each datagram of the peer; the bytes are valid during the call only. */
  readonly onDatagram: (bytes: Uint8Array, start: number, length: number) => void;
  /** Called once after the last datagram of a wake-up. */
  readonly onBatchEnd: () => void;
  /** The kernel says that the peer cannot be reached (ECONNREFUSED, ENETUNREACH, …). */
  readonly onUnreachable: (code: string) => void;
}

export interface UdpChannel extends Sender {
  /** Queues one datagram (a copy is taken); `flush` sends. False when it is too long for a slot. */
  send(bytes: Uint8Array, start: number, length: number): boolean;
  close(): void;
}

export type OpenUdpChannel = (peer: UdpPeer, events: UdpChannelEvents) => UdpChannel;
