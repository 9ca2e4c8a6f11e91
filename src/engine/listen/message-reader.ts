// Messages out of a stream of bytes: each has its length in two bytes before it (RFC 1035 section 4.2.2). A
// message that lies whole in one chunk is handed on where it lies; one that comes in parts is put together
// first. The reader can be stopped between two messages and keeps what it has not read.

/** No query is longer: the longest name, EDNS options and padding stay far below. */
export const maxQueryBytes = 4096;

const lengthBytes = 2;

export interface MessageTaker {
  /** Bytes are valid during the call only. */
  onMessage(bytes: Uint8Array, start: number, length: number): void;
  /** False to stop before the next message. */
  readonly takesMore: boolean;
}

export type ReadOutcome = 'all read' | 'stopped' | 'broken';

export class MessageReader {
  readonly #taker: MessageTaker;
  /** What was not read yet: a message's beginning, or everything since the reader was stopped. */
  #rest: Uint8Array | undefined;
  /** Bytes of `#rest` that hold something; there may be room behind them. */
  #restLength = 0;

  constructor(taker: MessageTaker) {
    this.#taker = taker;
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
    const rest = this.#rest?.subarray(0, this.#restLength);
    return rest === undefined ? 'all read' : this.#walk(rest);
  }

  #walk(bytes: Uint8Array): ReadOutcome {
    let at = 0;
    let outcome: ReadOutcome = 'all read';
    while (bytes.length - at >= lengthBytes) {
      const length = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
      if (length === 0 || length > maxQueryBytes) return 'broken';
      if (bytes.length - at < lengthBytes + length) break;
      if (!this.#taker.takesMore) {
        outcome = 'stopped';
        break;
      }
      this.#taker.onMessage(bytes, at + lengthBytes, length);
      at += lengthBytes + length;
    }
    this.#keep(bytes, at);
    return outcome;
  }

  #keep(bytes: Uint8Array, at: number): void {
    const length = bytes.length - at;
    if (length === 0) {
      this.#rest = undefined;
    } else if (at > 0 || bytes.buffer !== this.#rest?.buffer) {
      // By the constructor, because `slice` of a Buffer would not copy.
      this.#rest = new Uint8Array(bytes.subarray(at));
    }
    this.#restLength = length;
  }

  /** Room for the longest message is made once, so that a message byte by byte is not copied each time. */
  #joined(chunk: Uint8Array): Uint8Array {
    const length = this.#restLength + chunk.length;
    let rest = this.#rest ?? new Uint8Array();
    if (rest.length < length) {
      const room = new Uint8Array(Math.max(length, maxQueryBytes + lengthBytes));
      room.set(rest.subarray(0, this.#restLength));
      rest = room;
    }
    rest.set(chunk, this.#restLength);
    this.#rest = rest;
    this.#restLength = length;
    return rest.subarray(0, length);
  }
}
