// The certificate of the running service. It is loaded or issued when the first HTTPS socket needs it, then
// watched for changes of its files and settings. Without HTTPS it is never issued.

import type { Log } from '#platform/log';
import { threadEntries } from '../entries.ts';
import {
  Certificates,
  type CertificateSettings,
  issuerInThread,
  type Outcome,
  type TlsMaterial,
  type TlsReport,
} from '#platform/tls';
import { errorText } from '#platform/tasks';

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
  /** The settings in force, as text. */
  #settingsText: string;
  #onChange: (material: TlsMaterial) => void = () => undefined;

  constructor(options: TlsKeeperOptions) {
    this.#options = options;
    this.#settingsText = textOf(options.settings());
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

  /** The authority that browsers must import to trust a self-issued certificate. */
  caFile(): string | undefined {
    return this.current?.source === 'own' ? `${this.#options.folder}/ca.crt` : undefined;
  }

  applySettings(): void {
    const settings = this.#options.settings();
    if (textOf(settings) === this.#settingsText) return;
    this.#settingsText = textOf(settings);
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

/** An unexpected failure to issue a certificate must not stop plain HTTP. */
function failedToOpen(error: unknown): Outcome<never> {
  return { ok: false, problem: errorText(error) };
}

function textOf({ certFile, keyFile, hosts }: CertificateSettings): string {
  return JSON.stringify([certFile, keyFile, hosts]);
}
