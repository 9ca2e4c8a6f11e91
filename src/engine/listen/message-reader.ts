// Messages out of a stream of bytes: each has its length in two bytes before it (RFC 1035 section 4.2.2). A
// message that lies whole in one chunk is handed on where it lies; one that comes in parts is put together
// first. The reader can be stopped between two messages and keeps what it has not read.

/** No query is longer: the longest name, EDNS options and padding stay far below. */
export const maxQueryBytes = 4096;

const lengthBytes = 2;

export interface MessageConsumer {
  /** Bytes are valid during the call only. */
  onMessage(bytes: Uint8Array, start: number, length: number): void;
  /** False to stop before the next message. */
  readonly acceptsMore: boolean;
}

export type ReadOutcome = 'all read' | 'stopped' | 'broken';

export class MessageReader {
  readonly #consumer: MessageConsumer;
  /** What was not read yet: a message's beginning, or everything since the reader was stopped. */
  #rest: Uint8Array | undefined;
  /** Where it lies in `#rest`; there may be room behind it. */
  #restStart = 0;
  #restEnd = 0;

  constructor(consumer: MessageConsumer) {
    this.#consumer = consumer;
  }

  /** A message has begun and is not complete. */
  get isHalfway(): boolean {
    return this.#rest !== undefined;
  }

  /** `broken` when this is no DNS: nothing can be read from the stream any more. */
  read(chunk: Uint8Array): ReadOutcome {
    return this.#walk(this.#rest === undefined ? chunk : this.#joined(chunk));
  }

  /** Goes on after a stop. */
  readOn(): ReadOutcome {
    const rest = this.#rest?.subarray(this.#restStart, this.#restEnd);
    return rest === undefined ? 'all read' : this.#walk(rest);
  }

  #walk(bytes: Uint8Array): ReadOutcome {
    let at = 0;
    let outcome: ReadOutcome = 'all read';
    while (bytes.length - at >= lengthBytes) {
      const length = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
      if (length === 0 || length > maxQueryBytes) return 'broken';
      if (bytes.length - at < lengthBytes + length) break;
      if (!this.#consumer.acceptsMore) {
        outcome = 'stopped';
        break;
      }
      this.#consumer.onMessage(bytes, at + lengthBytes, length);
      at += lengthBytes + length;
    }
    this.#keep(bytes, at, outcome === 'stopped');
    return outcome;
  }

  /** What will be read on lies where it is, as it may be much; the beginning of a message is little. */
  #keep(bytes: Uint8Array, at: number, isStopped: boolean): void {
    const isOurs = bytes.buffer === this.#rest?.buffer;
    if (at === bytes.length) {
      this.#rest = undefined;
    } else if (isOurs && (isStopped || at === 0)) {
      this.#restStart += at;
    } else {
      // By the constructor, because `slice` of a Buffer would not copy.
      this.#rest = new Uint8Array(bytes.subarray(at));
      this.#restStart = 0;
    }
    this.#restEnd = this.#restStart + bytes.length - at;
  }

  /** Room for the longest message is made once, so that a message byte by byte is not copied each time. */
  #joined(chunk: Uint8Array): Uint8Array {
    const kept = this.#restEnd - this.#restStart;
    let rest = this.#rest ?? new Uint8Array();
    if (rest.length < this.#restEnd + chunk.length) {
      const room = new Uint8Array(Math.max(kept + chunk.length, maxQueryBytes + lengthBytes));
      room.set(rest.subarray(this.#restStart, this.#restEnd));
      rest = room;
      this.#restStart = 0;
    }
    rest.set(chunk, this.#restStart + kept);
    this.#rest = rest;
    this.#restEnd = this.#restStart + kept + chunk.length;
    return rest.subarray(this.#restStart, this.#restEnd);
  }
}
