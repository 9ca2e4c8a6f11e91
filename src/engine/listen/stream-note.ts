// Which query of a connection is being worked on, written down in a black box without tickets: should it kill
// the thread, the successor can say which one it was. The connection itself dies with the thread.

import type { QuerySource } from '../query-source.ts';
import { type BlackBox, head } from '../net/black-box.ts';
import { writeClient } from '../net/peer-cell.ts';

export class StreamNote {
  readonly #box: BlackBox;

  constructor(box: BlackBox) {
    this.#box = box;
  }

  begin(from: QuerySource, bytes: Uint8Array, start: number, length: number): void {
    const { inbox, words } = this.#box;
    const kept = Math.min(length, inbox.slotBytes);
    for (let index = 0; index < kept; index += 1) inbox.bytes[index] = bytes[start + index] ?? 0;
    inbox.lengths[0] = kept;
    writeClient(inbox.peers, 0, from.client, from.clientPort);
    words[head.batchSerial] = (words[head.batchSerial] ?? 0) + 1;
    words[head.batchCount] = 1;
    words[head.currentSlot] = 1;
  }

  end(): void {
    const { words } = this.#box;
    words[head.currentSlot] = 0;
    words[head.batchCount] = 0;
  }
}
