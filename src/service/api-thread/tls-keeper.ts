// The certificate while the service runs: opened when the first HTTPS socket asks for it, watched from then
// on, and following the settings. A machine that serves no HTTPS never makes one.

import type { Log } from '#platform/log';
import { threadEntries } from '../entries.ts';
import {
  causeOf,
  Certificates,
  type CertificateSettings,
  issuerInThread,
  type Outcome,
  type TlsMaterial,
  type TlsReport,
} from '#platform/tls';

export interface TlsKeeperOptions {
  readonly folder: string;
  readonly settings: () => CertificateSettings;
  readonly addresses: () => readonly string[];
  readonly hostname: string;
  readonly nowMs: () => number;
  readonly log: Log;
}

const watchEveryMs = 5_000;

export class TlsKeeper {
  readonly #options: TlsKeeperOptions;
  #opening: Promise<Certificates | undefined> | undefined;
  #certificates: Certificates | undefined;
  #followed: string;
  #onChange: (material: TlsMaterial) => void = () => undefined;

  constructor(options: TlsKeeperOptions) {
    this.#options = options;
    this.#followed = textOf(options.settings());
  }

  get current(): TlsMaterial | undefined {
    return this.#certificates?.current;
  }

  onChange(listener: (material: TlsMaterial) => void): void {
    this.#onChange = listener;
  }

  async material(): Promise<TlsMaterial | undefined> {
    this.#opening ??= this.#open();
    return (await this.#opening)?.current;
  }

  /** The authority that browsers must know to trust our own certificate. */
  caFile(): string | undefined {
    return this.current?.source === 'own' ? `${this.#options.folder}/ca.crt` : undefined;
  }

  followSettings(): void {
    const settings = this.#options.settings();
    if (textOf(settings) === this.#followed) return;
    this.#followed = textOf(settings);
    void this.#certificates?.reconfigure(settings);
  }

  async close(): Promise<void> {
    await this.#certificates?.close();
  }

  async #open(): Promise<Certificates | undefined> {
    const { folder, settings, addresses, hostname, nowMs, log } = this.#options;
    const { certFile, keyFile, hosts } = settings();
    const report = ({ level, problem }: TlsReport): void =>
      level === 'error' ? log.error(problem) : log.warn(problem);
    const issuer = issuerInThread(threadEntries.certificate);
    const where = { certFile, keyFile, hosts, folder, addresses, hostname };
    const opened = await Certificates.open({ ...where, nowMs, issuer, report }).catch(failedToOpen);
    if (!opened.ok) {
      log.error(`HTTPS is off: ${opened.problem}`);
      return undefined;
    }
    this.#certificates = opened.value;
    opened.value.watch(watchEveryMs, (material) => this.#onChange(material));
    return opened.value;
  }
}

/** Making a certificate may fail in ways that nobody foresaw; plain HTTP must not go down with it. */
function failedToOpen(error: unknown): Outcome<never> {
  return { ok: false, problem: causeOf(error) };
}

function textOf({ certFile, keyFile, hosts }: CertificateSettings): string {
  return JSON.stringify([certFile, keyFile, hosts]);
}
