// Sends slots through node:dgram, one datagram at a time: what listeners use where there are no batches. The
// bytes are copied, for node:dgram may keep them beyond the call.

import type { Socket } from 'node:dgram';
import { peerCellBytes, type SlotMemory, type Transmitter } from './datagrams.ts';
import { peerText, readPeerPort } from './peer-cell.ts';

/** What may wait inside node:dgram; beyond, the system has no room and datagrams are dropped. */
const maxQueuedBytes = 4 * 1024 * 1024;

export class PlainTransmitter implements Transmitter {
  problem = '';
  readonly #socket: Socket;
  readonly #slots: SlotMemory;

  constructor(socket: Socket, slots: SlotMemory) {
    this.#socket = socket;
    this.#slots = slots;
  }

  send(_fd: number, count: number): number {
    let sent = 0;
    for (let slot = 0; slot < count; slot += 1) if (this.#sendOne(slot)) sent += 1;
    return sent;
  }

  #sendOne(slot: number): boolean {
    const { bytes, lengths, peers, slotBytes } = this.#slots;
    if (this.#socket.getSendQueueSize() > maxQueuedBytes || peers === undefined) return false;
    const at = slot * peerCellBytes;
    const start = slot * slotBytes;
    const copy = Buffer.from(bytes.subarray(start, start + (lengths[slot] ?? 0)));
    this.#socket.send(copy, readPeerPort(peers, at), peerText(peers, at), (error) => {
      if (error !== null && 'code' in error) this.problem = String(error.code);
    });
    return true;
  }
}
