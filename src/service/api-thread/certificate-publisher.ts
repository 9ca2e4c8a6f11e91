// Publishes the certificate of the service to everything that terminates TLS. One place issues, loads and
// renews it, and watches its files and settings; subscribers get each new one. The material is plain text, so
// a subscriber may forward it to another thread. It is loaded or issued on the first request for it: without
// a TLS listener there is none.

import type { Log } from '#platform/log';
import {
  Certificates,
  type CertificateSettings,
  type Issuer,
  type Outcome,
  type TlsMaterial,
  type TlsReport,
} from '#platform/tls';
import { errorText } from '#platform/tasks';

export type CertificateListener = (material: TlsMaterial) => void;

export interface CertificatePublisherOptions {
  readonly folder: string;
  readonly settings: () => CertificateSettings;
  readonly addresses: () => readonly string[];
  readonly hostname: string;
  readonly nowMs: () => number;
  readonly issuer: Issuer;
  readonly log: Log;
}

const watchEveryMs = 5_000;

export class CertificatePublisher {
  readonly #options: CertificatePublisherOptions;
  readonly #listeners = new Set<CertificateListener>();
  #opening: Promise<Certificates | undefined> | undefined;
  #certificates: Certificates | undefined;
  /** The settings in force, as text. */
  #settingsText: string;

  constructor(options: CertificatePublisherOptions) {
    this.#options = options;
    this.#settingsText = textOf(options.settings());
  }

  get current(): TlsMaterial | undefined {
    return this.#certificates?.current;
  }

  /** Calls the listener for each later certificate; returns the function that ends this. */
  subscribe(listener: CertificateListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Loads or issues the certificate if that has not happened yet. */
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
    const { folder, settings, addresses, hostname, nowMs, issuer, log } = this.#options;
    const { certFile, keyFile, hosts } = settings();
    const report = ({ level, problem }: TlsReport): void =>
      level === 'error' ? log.error(problem) : log.warn(problem);
    const where = { certFile, keyFile, hosts, folder, addresses, hostname };
    const opened = await Certificates.open({ ...where, nowMs, issuer, report }).catch(failedToOpen);
    if (!opened.ok) {
      log.error(`HTTPS is off: ${opened.problem}`);
      return undefined;
    }
    this.#certificates = opened.value;
    opened.value.watch(watchEveryMs, (material) => this.#publish(material));
    return opened.value;
  }

  #publish(material: TlsMaterial): void {
    for (const listener of this.#listeners) listener(material);
  }
}

/** An unexpected failure to issue a certificate must not stop plain HTTP. */
function failedToOpen(error: unknown): Outcome<never> {
  return { ok: false, problem: errorText(error) };
}

function textOf({ certFile, keyFile, hosts }: CertificateSettings): string {
  return JSON.stringify([certFile, keyFile, hosts]);
}
