// What was counted of each upstream, in the shared memory of a worker: a bounded number of rows, found by the
// text of the upstream, because its number means something in one worker only. A row that was taken stays
// with its upstream, also when another worker takes the place of the one that died. Those that find no row
// share the last one. Beside each text stands the number that records of this worker carry for it.

export const upstreamRows = 64;
/** What is longer is cut: it is a label for people. */
const textBytes = 248;
const countNames = ['queries', 'failures', 'timeouts', 'measured', 'measuredMs'] as const;
const headBytes = 8;
/** Behind the counts: whether it is up, and when it replied and failed last. */
const stateAt = countNames.length;
const repliedAt = stateAt + 1;
const failedAt = stateAt + 2;
const doubles = countNames.length + 3;
const rowBytes = headBytes + doubles * 8 + textBytes;
export const upstreamTableBytes = upstreamRows * rowBytes;
export const otherUpstreams = 'other';

export type UpstreamCounts = Readonly<Record<(typeof countNames)[number], number>>;

export interface UpstreamRow extends UpstreamCounts {
  readonly text: string;
  /** Nothing while it is not used. */
  readonly isUp: boolean | undefined;
  /** By the clock that all threads share: the last good reply; 0 when there was none. */
  readonly repliedMs: number;
  /** The last failure of one that was given up; 0 when it is not. */
  readonly failedMs: number;
}

/** What a worker thinks of an upstream that is in use. */
export type UpstreamState = Pick<UpstreamRow, 'repliedMs' | 'failedMs'> & { readonly isUp: boolean };

/** 0: not in use. */
const State = { up: 1, down: 2 } as const;

interface RowViews {
  /** Of the text; then the number in records + 1, 0 while there is none. */
  readonly length: Int32Array;
  readonly counts: Float64Array;
  readonly text: Uint8Array;
}

export class UpstreamTable {
  readonly #rows: readonly RowViews[];
  readonly #places = new Map<string, RowViews>();

  constructor(memory: SharedArrayBuffer, atBytes: number) {
    this.#rows = rowsOf(memory, atBytes);
    for (const row of this.#rows) if (lengthOf(row) > 0) this.#places.set(textOf(row), row);
  }

  /** Adds to what was counted before. */
  add(text: string, news: UpstreamCounts): void {
    const { counts } = this.#rowFor(text);
    for (const [at, name] of countNames.entries()) counts[at] = (counts[at] ?? 0) + news[name];
  }

  /** The state of the upstreams in use; all others are out of use. */
  setStates(states: ReadonlyMap<string, UpstreamState>): void {
    for (const { counts } of this.#places.values()) counts.fill(0, stateAt, doubles);
    for (const [text, { isUp, repliedMs, failedMs }] of states)
      this.#rowFor(text).counts.set([isUp ? State.up : State.down, repliedMs, failedMs], stateAt);
  }

  /** Records carry these numbers from now on; a number that meant another upstream before does so no more. */
  setNumbers(numbers: ReadonlyMap<string, number>): void {
    for (const [text, number] of numbers) {
      const own = this.#rowFor(text);
      if (numberOf(own) === number + 1) continue;
      for (const row of this.#places.values())
        if (numberOf(row) === number + 1) Atomics.store(row.length, 1, 0);
      Atomics.store(own.length, 1, number + 1);
    }
  }

  #rowFor(text: string): RowViews {
    const label = labelOf(text);
    const known = this.#places.get(label);
    if (known !== undefined) return known;
    const isLast = this.#places.size >= upstreamRows - 1;
    return isLast && label !== otherUpstreams ? this.#rowFor(otherUpstreams) : this.#take(label);
  }

  #take(label: string): RowViews {
    const row = this.#rows[this.#places.size];
    if (row === undefined) throw new Error('The last row is taken once.');
    const bytes = new TextEncoder().encode(label);
    row.text.set(bytes);
    // Last, so that no reader sees half a text.
    Atomics.store(row.length, 0, bytes.length);
    this.#places.set(label, row);
    return row;
  }
}

/** All rows that are taken. */
export function readUpstreams(memory: SharedArrayBuffer, atBytes: number): readonly UpstreamRow[] {
  return rowsOf(memory, atBytes)
    .filter((row) => lengthOf(row) > 0)
    .map(readRow);
}

/** The texts of upstreams by the numbers that records of this worker carry. */
export function readUpstreamNumbers(memory: SharedArrayBuffer, atBytes: number): readonly string[] {
  const texts: string[] = [];
  for (const row of rowsOf(memory, atBytes))
    if (lengthOf(row) > 0 && numberOf(row) > 0) texts[numberOf(row) - 1] = textOf(row);
  return Array.from(texts, (text) => text ?? '');
}

function readRow(row: RowViews): UpstreamRow {
  const count = (at: number): number => row.counts[at] ?? 0;
  const state = count(stateAt);
  return {
    text: textOf(row),
    queries: count(0),
    failures: count(1),
    timeouts: count(2),
    measured: count(3),
    measuredMs: count(4),
    isUp: state === 0 ? undefined : state === State.up,
    repliedMs: count(repliedAt),
    failedMs: count(failedAt),
  };
}

function rowsOf(memory: SharedArrayBuffer, atBytes: number): readonly RowViews[] {
  return Array.from({ length: upstreamRows }, (_, index) => {
    const at = atBytes + index * rowBytes;
    return {
      length: new Int32Array(memory, at, 2),
      counts: new Float64Array(memory, at + headBytes, doubles),
      text: new Uint8Array(memory, at + headBytes + doubles * 8, textBytes),
    };
  });
}

function lengthOf({ length }: RowViews): number {
  return Atomics.load(length, 0);
}
function numberOf({ length }: RowViews): number {
  return Atomics.load(length, 1);
}

// A copy, because texts are not decoded from shared memory.
function textOf(row: RowViews): string {
  return new TextDecoder().decode(Uint8Array.from(row.text.subarray(0, lengthOf(row))));
}

/** ASCII alone, so that a cut leaves no half letter. */
function labelOf(text: string): string {
  return text.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, textBytes);
}
