// How busy the program and the machine were during the last minute: the counters are sampled every five
// seconds, and a rate is the increase since the oldest sample, which is about a minute old at most.

export interface Load {
  readonly atMs: number;
  readonly queries: number;
  /** Of this process. */
  readonly cpuSeconds: number;
  /** Of the machine, in ticks of its own unit: total time and idle time. */
  readonly totalTicks: number;
  readonly idleTicks: number;
}

const maxSamples = 13;
const sampleEveryMs = 5_000;

export class LoadMeter {
  readonly #read: () => Load;
  readonly #samples: Load[];

  constructor(read: () => Load) {
    this.#read = read;
    this.#samples = [read()];
  }

  /** Samples until the thread ends. */
  start(): void {
    setInterval(() => this.sample(), sampleEveryMs).unref();
  }

  sample(): void {
    this.#samples.push(this.#read());
    if (this.#samples.length > maxSamples) this.#samples.shift();
  }

  queriesPerSecond(): number {
    const [before, now] = this.#span();
    return ratio(now.queries - before.queries, (now.atMs - before.atMs) / 1000);
  }

  /** In percent of one processor: several threads may use more than 100. */
  processPercent(): number {
    const [before, now] = this.#span();
    return 100 * ratio(now.cpuSeconds - before.cpuSeconds, (now.atMs - before.atMs) / 1000);
  }

  /** In percent of all processors together. */
  machinePercent(): number {
    const [before, now] = this.#span();
    const total = now.totalTicks - before.totalTicks;
    return 100 * ratio(total - (now.idleTicks - before.idleTicks), total);
  }

  #span(): readonly [before: Load, now: Load] {
    const now = this.#read();
    return [this.#samples[0] ?? now, now];
  }
}

/** Counters restart from 0 when DNS is switched off and on; the rate is then 0, not negative. */
function ratio(part: number, whole: number): number {
  return whole > 0 ? Math.max(0, part / whole) : 0;
}
