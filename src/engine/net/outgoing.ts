// What has something to send, collected while a batch of queries or replies is worked on and sent at its end:
// a burst is paid by the batch, also on the way out.

export interface Sender {
  /** Sends all that was put together. */
  flush(): void;
}

export class Outgoing {
  readonly #marked: Sender[] = [];

  /** Called by a sender when it takes the first datagram of a batch. */
  mark(sender: Sender): void {
    this.#marked.push(sender);
  }

  flushAll(): void {
    for (const sender of this.#marked) sender.flush();
    this.#marked.length = 0;
  }
}
