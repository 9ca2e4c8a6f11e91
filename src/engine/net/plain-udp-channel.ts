// The connected UDP socket by node:dgram, one datagram at a time: for systems without batches, and for tests.
// What is sent before the socket is connected waits in a bounded queue.

import { createSocket, type Socket } from 'node:dgram';
import { isIP } from 'node:net';
import type { UdpChannel, UdpChannelEvents, UdpPeer } from './udp-channel.ts';

const maxDatagramBytes = 4096;
/** Further ones are dropped, as a full socket buffer would do. */
const maxQueued = 1024;

export function openPlainUdpChannel(peer: UdpPeer, events: UdpChannelEvents): UdpChannel {
  return new PlainUdpChannel(peer, events);
}

class PlainUdpChannel implements UdpChannel {
  readonly #socket: Socket;
  readonly #events: UdpChannelEvents;
  readonly #queued: Uint8Array[] = [];
  #isConnected = false;
  #isClosed = false;

  constructor(peer: UdpPeer, events: UdpChannelEvents) {
    this.#events = events;
    this.#socket = createSocket({ type: isIP(peer.address) === 6 ? 'udp6' : 'udp4' });
    this.#socket.on('message', (bytes) => {
      if (this.#isClosed) return;
      events.onDatagram(bytes, 0, bytes.length);
      events.onBatchEnd();
    });
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.connect(peer.port, peer.address, (error?: Error) => {
      if (error !== undefined) return this.#fail(error);
      this.#isConnected = true;
      this.flush();
    });
  }

  send(bytes: Uint8Array, start: number, length: number): boolean {
    if (length > maxDatagramBytes) return false;
    if (this.#queued.length < maxQueued) this.#queued.push(copyOf(bytes, start, length));
    return true;
  }

  flush(): void {
    if (!this.#isConnected || this.#isClosed) return;
    for (const datagram of this.#queued) this.#socket.send(datagram, this.#sent);
    this.#queued.length = 0;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#queued.length = 0;
    this.#socket.close();
  }

  readonly #sent = (error: Error | null): void => {
    if (error !== null) this.#fail(error);
  };

  #fail(error: Error & { code?: string }): void {
    if (!this.#isClosed) this.#events.onUnreachable(error.code ?? error.message);
  }
}

/** By the constructor, because `slice` of a Buffer would not copy. */
function copyOf(bytes: Uint8Array, start: number, length: number): Uint8Array {
  return new Uint8Array(bytes.subarray(start, start + length));
}
