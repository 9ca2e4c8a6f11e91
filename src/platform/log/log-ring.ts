// The newest lines of a log in shared memory, so that they can be shown: main creates it, and each thread
// writes its own lines. It outlives threads, so that line numbers continue when one is replaced. A slot
// records which line it holds before and after the line is written; a reader that sees a half-written slot
// skips it. A writer whose slot is still used by a writer one whole round behind drops its line, because both
// lines would be corrupted. A thread that is ended while it writes leaves its slot locked for good, one of
// hundreds.

export interface RingLine {
  readonly timeMs: number;
  /** A small number of the writer's choice. */
  readonly mark: number;
  readonly text: string;
}

const nextWord = 0;
const headBytes = 64;
/** Words of a slot: the number of its line + 1 (0: none yet), mark, length; then the time. */
const SlotWord = { owner: 0, mark: 1, length: 2 } as const;
/** The owner while a line is being written. */
const beingWritten = -1;
const slotHeadBytes = 24;

export class LogRing {
  readonly memory: SharedArrayBuffer;
  readonly #lines: number;
  readonly #lineLength: number;
  readonly #slotBytes: number;
  readonly #head: Int32Array;

  /** Allocates memory when none is passed. */
  constructor(lines: number, lineLength: number, memory?: SharedArrayBuffer) {
    this.#lines = lines;
    this.#lineLength = lineLength;
    this.#slotBytes = (slotHeadBytes + lineLength * 2 + 7) & ~7;
    this.memory = memory ?? new SharedArrayBuffer(headBytes + lines * this.#slotBytes);
    this.#head = new Int32Array(this.memory, 0, 1);
  }

  /** The number of the next line. */
  get next(): number {
    return Atomics.load(this.#head, nextWord);
  }

  /** A text that is too long is cut. */
  add(timeMs: number, mark: number, text: string): void {
    const number = Atomics.add(this.#head, nextWord, 1);
    const { words, time, units } = this.#slot(number);
    if (!claim(words, number)) return;
    const length = Math.min(text.length, this.#lineLength);
    words[SlotWord.mark] = mark;
    words[SlotWord.length] = length;
    time[0] = timeMs;
    for (let at = 0; at < length; at++) units[at] = text.charCodeAt(at);
    Atomics.store(words, SlotWord.owner, number + 1);
  }

  /** The lines from `from` on, the oldest first; all lines when `from` was already dropped. */
  read(from: number): readonly RingLine[] {
    const { next } = this;
    const lines: RingLine[] = [];
    for (let number = Math.max(from, next - this.#lines, 0); number < next; number++) {
      const line = this.#read(number);
      if (line !== undefined) lines.push(line);
    }
    return lines;
  }

  #read(number: number): RingLine | undefined {
    const { words, time, units } = this.#slot(number);
    if (Atomics.load(words, SlotWord.owner) !== number + 1) return undefined;
    const length = words[SlotWord.length] ?? 0;
    const line = {
      timeMs: time[0] ?? 0,
      mark: words[SlotWord.mark] ?? 0,
      text: String.fromCharCode(...units.subarray(0, length)),
    };
    return Atomics.load(words, SlotWord.owner) === number + 1 ? line : undefined;
  }

  #slot(number: number): {
    readonly words: Int32Array;
    readonly time: Float64Array;
    readonly units: Uint16Array;
  } {
    const at = headBytes + (number % this.#lines) * this.#slotBytes;
    return {
      words: new Int32Array(this.memory, at, 4),
      time: new Float64Array(this.memory, at + 16, 1),
      units: new Uint16Array(this.memory, at + slotHeadBytes, this.#lineLength),
    };
  }
}

/** Whether this writer may use the slot: no other writer is in it, and it holds no later line. */
function claim(words: Int32Array, number: number): boolean {
  const owner = Atomics.load(words, SlotWord.owner);
  if (owner === beingWritten || owner > number) return false;
  return Atomics.compareExchange(words, SlotWord.owner, owner, beingWritten) === owner;
}
