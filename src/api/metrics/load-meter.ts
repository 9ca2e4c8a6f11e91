// How busy the program and the machine were lately: every few seconds it is noted what was counted until
// then, and a figure is what has come since the oldest note, which is a minute old at the most.

export interface Load {
  readonly atMs: number;
  readonly queries: number;
  /** Of this process. */
  readonly cpuSeconds: number;
  /** Of the machine, in units of its own: all its time, and that in which it did nothing. */
  readonly totalTicks: number;
  readonly idleTicks: number;
}

const notesMax = 13;
const noteEveryMs = 5_000;

export class LoadMeter {
  readonly #read: () => Load;
  readonly #notes: Load[];

  constructor(read: () => Load) {
    this.#read = read;
    this.#notes = [read()];
  }

  /** Goes on until the thread ends. */
  start(): void {
    setInterval(() => this.note(), noteEveryMs).unref();
  }

  note(): void {
    this.#notes.push(this.#read());
    if (this.#notes.length > notesMax) this.#notes.shift();
  }

  queriesPerSecond(): number {
    const [before, now] = this.#span();
    return ratio(now.queries - before.queries, (now.atMs - before.atMs) / 1000);
  }

  /** Of one processor: with several threads it may be more than 100. */
  processPercent(): number {
    const [before, now] = this.#span();
    return 100 * ratio(now.cpuSeconds - before.cpuSeconds, (now.atMs - before.atMs) / 1000);
  }

  /** Of all processors together. */
  machinePercent(): number {
    const [before, now] = this.#span();
    const total = now.totalTicks - before.totalTicks;
    return 100 * ratio(total - (now.idleTicks - before.idleTicks), total);
  }

  #span(): readonly [before: Load, now: Load] {
    const now = this.#read();
    return [this.#notes[0] ?? now, now];
  }
}

/** Counts begin anew when DNS is switched off and on: that is no negative rate. */
const ratio = (part: number, whole: number): number => (whole > 0 ? Math.max(0, part / whole) : 0);
