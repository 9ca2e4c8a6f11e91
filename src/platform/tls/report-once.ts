// Tells a problem once. The checks run again and again and find the same broken file each time; a log that
// repeats it every minute is a log nobody reads. One problem is remembered per topic: the same text is not
// told again until the topic was fine in between.

import type { TlsReport } from './material.ts';

export type Topic = 'user' | 'validity' | 'own' | 'names' | 'check';

export class Teller {
  readonly #report: (report: TlsReport) => void;
  readonly #told = new Map<Topic, string>();

  constructor(report: (report: TlsReport) => void) {
    this.#report = report;
  }

  /** `undefined` says that the topic is fine now. */
  tell(topic: Topic, level: TlsReport['level'], problem: string | undefined): void {
    if (problem === undefined) {
      this.#told.delete(topic);
    } else if (this.#told.get(topic) !== problem) {
      this.#told.set(topic, problem);
      this.#report({ level, problem });
    }
  }
}
