// Decides when the self-issued certificate is checked: every hour, and at once when the names or the local
// addresses have changed since the last check. In between, a call only lists the addresses. A clock that was
// set back counts as an hour gone by, so a machine that starts with a wrong clock repairs its certificate
// when the clock is set.

import type { Issuer } from './issue.ts';
import type { Outcome, TlsMaterial } from './material.ts';
import { wantedNames, type WantedNames } from './names.ts';
import { selfIssuedCertificate } from './self-issued.ts';
import type { OnceReporter } from './report-once.ts';

export type SelfIssuedSettings = {
  readonly folder: string;
  readonly hostname: string;
  readonly hosts: readonly string[];
  readonly addresses: () => readonly string[];
  readonly nowMs: () => number;
  readonly issuer: Issuer;
};

const checkEveryMs = 3_600_000;

export class SelfIssuedSource {
  readonly #settings: SelfIssuedSettings;
  readonly #reporter: OnceReporter;
  #checkedMs = Number.NEGATIVE_INFINITY;
  #checkedNames = '';

  constructor(settings: SelfIssuedSettings, reporter: OnceReporter) {
    this.#settings = settings;
    this.#reporter = reporter;
  }

  /** Loads the certificate from disk and renews it if necessary. */
  load(): Promise<Outcome<TlsMaterial>> {
    return this.#load(this.#wanted());
  }

  /** Undefined when no check is due. */
  async check(): Promise<Outcome<TlsMaterial> | undefined> {
    const wanted = this.#wanted();
    const passedMs = this.#settings.nowMs() - this.#checkedMs;
    const due = passedMs < 0 || passedMs >= checkEveryMs || wanted.names.join() !== this.#checkedNames;
    return due ? this.#load(wanted) : undefined;
  }

  async #load({ names, leftOut }: WantedNames): Promise<Outcome<TlsMaterial>> {
    const { folder, hostname, issuer } = this.#settings;
    const nowMs = this.#settings.nowMs();
    this.#checkedMs = nowMs;
    this.#checkedNames = names.join();
    this.#reporter.report('names', 'warning', leftOutWarning(leftOut));
    const own = await selfIssuedCertificate({ folder, hostname, names, nowMs, issuer });
    if (!own.ok) return own;
    this.#reporter.report('own', 'warning', own.value.warning);
    return { ok: true, value: own.value.material };
  }

  #wanted(): WantedNames {
    const { hostname, hosts, addresses } = this.#settings;
    return wantedNames({ hostname, hosts, addresses: addresses() });
  }
}

function leftOutWarning(leftOut: readonly string[]): string | undefined {
  if (leftOut.length === 0) return undefined;
  const some = leftOut.slice(0, 5).join(', ');
  return (
    `The self-issued TLS certificate omits invalid or too many names (${leftOut.length}): ${some}` +
    `${leftOut.length > 5 ? ', …' : ''}. Correct the setting web.hosts, or use another name.`
  );
}
