// One batch of datagrams, from the inbox to the answers: the innermost loop of the service. The batch is open
// in the black box until its answers have been sent, so that a successor answers again what may not have
// gone out; which datagram is being worked on is written down before the engine sees it.

import { later, type Answerer } from '../query-source.ts';
import type { Outbox } from '../net/outbox.ts';
import { type BlackBox, counter, head, mark } from '../net/black-box.ts';
import type { UdpSource } from './udp-source.ts';

export class UdpBatch {
  readonly #box: BlackBox;
  readonly #source: UdpSource;
  readonly #answerer: Answerer;
  readonly #makeOutbox: () => Outbox;
  /** Made with the first batch: many addresses are never asked. */
  #outbox: Outbox | undefined;

  constructor(box: BlackBox, source: UdpSource, answerer: Answerer, makeOutbox: () => Outbox) {
    this.#box = box;
    this.#source = source;
    this.#answerer = answerer;
    this.#makeOutbox = makeOutbox;
  }

  /** Works on the first `count` slots of the inbox; those that have a mark are left out. */
  work(count: number, isFresh: boolean): void {
    const box = this.#box;
    this.#outbox ??= this.#makeOutbox();
    box.words[head.batchSerial] = (box.words[head.batchSerial] ?? 0) + 1;
    box.words[head.batchCount] = count;
    this.#answerer.beginBatch();
    const marked = this.#answerAll(count, this.#outbox);
    box.words[head.currentSlot] = 0;
    const answered = this.#outbox.count;
    const notSent = this.#outbox.send(this.#source.fd);
    box.closeBatch(marked || !isFresh);
    this.#answerer.endBatch();
    box.count(counter.received, count);
    box.count(counter.answered, answered - notSent);
    box.count(counter.batches, 1);
    if (notSent > 0) box.count(counter.notSent, notSent);
  }

  /** Says whether any slot has a mark now. */
  #answerAll(count: number, outbox: Outbox): boolean {
    const box = this.#box;
    const { bytes, lengths, slotBytes } = box.inbox;
    const { words, marks } = box;
    const { bytes: out, slotBytes: outBytes } = outbox.slots;
    const source = this.#source;
    const answerer = this.#answerer;
    let marked = false;
    for (let slot = 0; slot < count; slot += 1) {
      if (marks[slot] !== mark.open) continue;
      words[head.currentSlot] = slot + 1;
      source.load(slot);
      const start = slot * slotBytes;
      const length = answerer.answer(source, bytes, start, lengths[slot] ?? 0, out, outbox.next, outBytes);
      if (length > 0) {
        outbox.add(length, words, box.slotPeer(slot));
      } else {
        marks[slot] = length === later ? mark.held : mark.dropped;
        marked = true;
      }
    }
    return marked;
  }
}
