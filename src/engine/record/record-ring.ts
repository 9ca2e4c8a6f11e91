// The ring of records between one dns worker, which writes, and one reader in another thread. The writer
// never waits: when the reader is too slow, new records are counted and dropped. Head and tail count 8-byte
// steps since the beginning, modulo 2^32; the head is made known once per batch, so that a query pays for no
// memory barrier.

import { maxRecordBytes, recordHeaderBytes, RecordWord } from './layout.ts';

const Control = { head: 0, tail: 1, dropped: 2 } as const;
const controlBytes = 64;
const stepBytes = 8;

/** `sizeBytes` is rounded up to a power of two. */
export function makeRecordRing(sizeBytes: number): SharedArrayBuffer {
  const size = 1 << Math.ceil(Math.log2(Math.max(sizeBytes, 4 * maxRecordBytes)));
  return new SharedArrayBuffer(controlBytes + size);
}

interface RingViews {
  readonly control: Int32Array;
  readonly words: Int32Array;
  readonly doubles: Float64Array;
  readonly bytes: Uint8Array;
  readonly steps: number;
}

function viewsOf(memory: SharedArrayBuffer): RingViews {
  return {
    control: new Int32Array(memory, 0, controlBytes / 4),
    words: new Int32Array(memory, controlBytes),
    doubles: new Float64Array(memory, controlBytes),
    bytes: new Uint8Array(memory, controlBytes),
    steps: (memory.byteLength - controlBytes) / stepBytes,
  };
}

export class RecordWriter {
  readonly words: Int32Array;
  readonly doubles: Float64Array;
  readonly bytes: Uint8Array;
  readonly #control: Int32Array;
  readonly #steps: number;
  #head: number;
  #tail: number;

  constructor(memory: SharedArrayBuffer) {
    const { control, words, doubles, bytes, steps } = viewsOf(memory);
    this.#control = control;
    this.words = words;
    this.doubles = doubles;
    this.bytes = bytes;
    this.#steps = steps;
    this.#head = Atomics.load(control, Control.head);
    this.#tail = Atomics.load(control, Control.tail);
  }

  /** Room for a record with a name of this length: its place in bytes, -1 when the ring is full. */
  begin(nameLength: number): number {
    const steps = (recordHeaderBytes + nameLength + 7) >> 3;
    const at = this.#head & (this.#steps - 1);
    const untilEnd = this.#steps - at;
    const needed = steps <= untilEnd ? steps : steps + untilEnd;
    if (!this.#hasRoom(needed)) {
      this.#control[Control.dropped] = (this.#control[Control.dropped] ?? 0) + 1;
      return -1;
    }
    if (steps <= untilEnd) return this.#take(at, steps);
    // Records do not bend round the end: an empty one fills it up.
    this.#fill(at, untilEnd);
    return this.#take(0, steps);
  }

  /** Makes known what was written. */
  publish(): void {
    Atomics.store(this.#control, Control.head, this.#head);
  }

  #hasRoom(steps: number): boolean {
    if (((this.#head + steps - this.#tail) | 0) <= this.#steps) return true;
    this.publish();
    this.#tail = Atomics.load(this.#control, Control.tail);
    return ((this.#head + steps - this.#tail) | 0) <= this.#steps;
  }

  #take(at: number, steps: number): number {
    this.words[at * 2 + RecordWord.sizeBytes] = steps * stepBytes;
    this.#head = (this.#head + steps) | 0;
    return at * stepBytes;
  }

  /** A filler may be a single step long: its size then stands where the time does, as a negative number. */
  #fill(at: number, steps: number): void {
    this.doubles[at] = -steps;
    this.#head = (this.#head + steps) | 0;
  }
}

export class RecordReader {
  readonly words: Int32Array;
  readonly doubles: Float64Array;
  readonly bytes: Uint8Array;
  readonly #control: Int32Array;
  readonly #steps: number;

  constructor(memory: SharedArrayBuffer) {
    const { control, words, doubles, bytes, steps } = viewsOf(memory);
    this.#control = control;
    this.words = words;
    this.doubles = doubles;
    this.bytes = bytes;
    this.#steps = steps;
  }

  /** Records that found no room since the ring was made. */
  get dropped(): number {
    return this.#control[Control.dropped] ?? 0;
  }

  /** Whether there is anything to take. */
  get hasSome(): boolean {
    return Atomics.load(this.#control, Control.head) !== Atomics.load(this.#control, Control.tail);
  }

  /** The time of the record that comes next, by the wall clock; Infinity: there is none. */
  get nextMs(): number {
    const head = Atomics.load(this.#control, Control.head);
    let tail = Atomics.load(this.#control, Control.tail);
    while (tail !== head) {
      const timeMs = this.doubles[tail & (this.#steps - 1)] ?? 0;
      if (timeMs >= 0) return timeMs;
      tail = (tail - timeMs) | 0;
    }
    return Infinity;
  }

  /** Calls `visit` with the place (in bytes) of each record, at most `most` of them; tells how many. */
  read(most: number, visit: (at: number) => void): number {
    const head = Atomics.load(this.#control, Control.head);
    let tail = Atomics.load(this.#control, Control.tail);
    let count = 0;
    while (tail !== head && count < most) {
      const step = tail & (this.#steps - 1);
      const filler = this.doubles[step] ?? 0;
      const isFiller = filler < 0;
      if (!isFiller) visit(step * stepBytes);
      const steps = isFiller ? -filler : (this.words[step * 2 + RecordWord.sizeBytes] ?? 0) / stepBytes;
      tail = (tail + steps) | 0;
      if (!isFiller) count++;
    }
    Atomics.store(this.#control, Control.tail, tail);
    return count;
  }
}
