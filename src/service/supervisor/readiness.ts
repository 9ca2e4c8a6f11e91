// Announces READY=1 to systemd once the process serves and every listen address of DNS is answered. Until
// then it keeps asking systemd for more time: a port that another program holds, or an address that does not
// exist yet, must not end the service, which opens it as soon as it can.

import type { Log } from '#platform/log';
import type { Notifier } from './handover/notify.ts';

export interface ReadinessParts {
  readonly log: Log;
  readonly notifier: Notifier;
  /** The listen addresses of DNS that are not answered. */
  readonly unanswered: () => readonly string[];
  /** What is open, as text. */
  readonly listening: () => string;
}

/** Longer than the interval of checks. */
const extendMs = 60_000;

export class Readiness {
  readonly #parts: ReadinessParts;
  /** Announces that the service is ready; undefined when there is nothing to announce. */
  #announce: (() => void) | undefined;
  /** The unanswered addresses, as last logged. */
  #waitsFor = '';
  /** Whether systemd shows a status that has to be replaced. */
  #hasStatus = false;
  #isAnnounced = false;

  constructor(parts: ReadinessParts) {
    this.#parts = parts;
  }

  /** Whether this process has ever announced that it is ready. */
  get isAnnounced(): boolean {
    return this.#isAnnounced;
  }

  /** The api thread serves, for the first time or again. */
  onServing(): void {
    this.#announce = () => {
      const { log, notifier, listening } = this.#parts;
      log.info('Ready', { listening: listening() });
      if (this.#hasStatus) notifier.notify('STATUS=Ready');
      this.#hasStatus = false;
      notifier.notify('READY=1');
    };
    this.check();
  }

  /** DNS is answered by the plan on the disk, but there is no API; `status` says why. */
  onServingDnsOnly(status: string): void {
    this.#announce = () => {
      this.#hasStatus = true;
      this.#parts.notifier.notify('READY=1', `STATUS=${oneLine(status)}`);
    };
    this.check();
  }

  /** Call when something may have changed, and repeatedly. */
  check(): void {
    const announce = this.#announce;
    if (announce === undefined) return;
    const missing = this.#parts.unanswered().join(', ');
    if (missing !== '') return this.#wait(missing);
    this.#announce = undefined;
    this.#waitsFor = '';
    this.#isAnnounced = true;
    announce();
  }

  #wait(missing: string): void {
    const { log, notifier } = this.#parts;
    const text = `Not ready: DNS is not answered on ${missing}. The service retries.`;
    if (missing !== this.#waitsFor) log.warn(text);
    this.#waitsFor = missing;
    this.#hasStatus = true;
    notifier.notify(`EXTEND_TIMEOUT_USEC=${extendMs * 1000}`, `STATUS=${oneLine(text)}`);
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ');
}
