// How long a process waits for its successor. What counts is silence, not the time that a start takes: slow
// hardware or a long migration of the database must not make a restart impossible, while a successor that
// hangs must not keep the service without its API. It counts looks instead of measuring time: when this
// process was stopped for a while, the looks were stopped with it.

/** How often to look. The successor says `alive` at the same pace. */
export const lookEveryMs = 1_000;
/** Far more than a busy machine keeps a process from its timers. */
export const silentLooksMax = 30;
/** Ten minutes. A successor that is alive and not ready after that never will be. */
export const looksMax = 600;

export class Patience {
  #looks = 0;
  #silentLooks = 0;

  /** The successor has said something. */
  heard(): void {
    this.#silentLooks = 0;
  }

  /** To be called every `lookEveryMs`; why there is no point in waiting any longer, or nothing. */
  look(): string | undefined {
    this.#looks++;
    this.#silentLooks++;
    if (this.#silentLooks > silentLooksMax) return `It showed no sign of life for ${silentLooksMax} s.`;
    return this.#looks > looksMax ? `It was not ready after ${looksMax / 60} minutes.` : undefined;
  }
}
