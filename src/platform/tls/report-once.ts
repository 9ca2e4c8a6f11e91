// Reports a problem once. The checks run each minute and find the same broken file each time; repeated log
// lines would hide others. One problem is remembered per topic: the same text is reported again only after
// the topic was fine in between.

import type { TlsReport } from './material.ts';

export type Topic = 'user' | 'validity' | 'own' | 'names' | 'check';

export class OnceReporter {
  readonly #report: (report: TlsReport) => void;
  readonly #reported = new Map<Topic, string>();

  constructor(report: (report: TlsReport) => void) {
    this.#report = report;
  }

  /** `undefined` means that the topic is fine now. */
  report(topic: Topic, level: TlsReport['level'], problem: string | undefined): void {
    if (problem === undefined) {
      this.#reported.delete(topic);
    } else if (this.#reported.get(topic) !== problem) {
      this.#reported.set(topic, problem);
      this.#report({ level, problem });
    }
  }
}
