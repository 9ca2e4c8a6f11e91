// When this process says that it is ready: once it serves and every listen address of DNS is answered. Until
// then systemd is asked for more time, again and again: a port that another program holds, or an address that
// comes later, must not end a service that opens it as soon as it can.

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

/** Longer than the time between two looks. */
const extendMs = 60_000;

export class Readiness {
  readonly #parts: ReadinessParts;
  /** Says that it is ready; undefined while there is nothing to say. */
  #announce: (() => void) | undefined;
  #waitsFor = '';
  /** Whether systemd was told a status that is to be replaced. */
  #hasStatus = false;
  #isAnnounced = false;

  constructor(parts: ReadinessParts) {
    this.#parts = parts;
  }

  /** Whether this process has ever said that it is ready. */
  get isAnnounced(): boolean {
    return this.#isAnnounced;
  }

  /** The api thread serves, for the first time or again. */
  serves(): void {
    this.#announce = () => {
      const { log, notifier, listening } = this.#parts;
      log.info('Ready', { listening: listening() });
      if (this.#hasStatus) notifier.notify('STATUS=Ready');
      this.#hasStatus = false;
      notifier.notify('READY=1');
    };
    this.look();
  }

  /** There is no API, but DNS is answered by the plan on the disk: `status` says why. */
  servesDnsOnly(status: string): void {
    this.#announce = () => {
      this.#hasStatus = true;
      this.#parts.notifier.notify('READY=1', `STATUS=${oneLine(status)}`);
    };
    this.look();
  }

  /** To be called when something may have changed, and now and then. */
  look(): void {
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
    const text = `Not ready: DNS is not answered on ${missing}. It is tried again by itself.`;
    if (missing !== this.#waitsFor) log.warn(text);
    this.#waitsFor = missing;
    this.#hasStatus = true;
    notifier.notify(`EXTEND_TIMEOUT_USEC=${extendMs * 1000}`, `STATUS=${oneLine(text)}`);
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ');
}
