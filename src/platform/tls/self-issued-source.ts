// Decides when our own certificate is looked at again: every hour, and at once when the names or the local
// addresses have changed since the last look. In between a look costs no more than listing the addresses. A
// clock that was set back counts as an hour gone by, so a machine that starts without the time repairs its
// certificate once it has it.

import type { Issuer } from './issue.ts';
import type { Outcome, TlsMaterial } from './material.ts';
import { wantedNames, type WantedNames } from './names.ts';
import { ownCertificate } from './self-issued.ts';
import type { Teller } from './report-once.ts';

export type OwnSettings = {
  readonly folder: string;
  readonly hostname: string;
  readonly hosts: readonly string[];
  readonly addresses: () => readonly string[];
  readonly nowMs: () => number;
  readonly issuer: Issuer;
};

const checkEveryMs = 3_600_000;

export class OwnSource {
  readonly #settings: OwnSettings;
  readonly #teller: Teller;
  #checkedMs = Number.NEGATIVE_INFINITY;
  #checkedNames = '';

  constructor(settings: OwnSettings, teller: Teller) {
    this.#settings = settings;
    this.#teller = teller;
  }

  /** Loads the certificate from disk and renews it when there is a reason to. */
  load(): Promise<Outcome<TlsMaterial>> {
    return this.#load(this.#wanted());
  }

  /** Undefined when it is not time to look yet. */
  async look(): Promise<Outcome<TlsMaterial> | undefined> {
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
    this.#teller.tell('names', 'warning', leftOutWarning(leftOut));
    const own = await ownCertificate({ folder, hostname, names, nowMs, issuer });
    if (!own.ok) return own;
    this.#teller.tell('own', 'warning', own.value.warning);
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
    `Our own TLS certificate leaves out names that are not valid or too many (${leftOut.length}): ${some}` +
    `${leftOut.length > 5 ? ', …' : ''}. Correct the setting web.hosts, or use another name.`
  );
}
