// Owns the certificate of the HTTPS server: opens it, watches it, and publishes a new one when the configured
// files changed or the self-issued certificate was renewed. HTTPS must stay up: a configured certificate that
// cannot be loaded at start is replaced by a self-issued one, and if it breaks later the previous one stays
// in use; either is reported once. Checks and changes of the settings run one after the other, never at the
// same time.

import type { Issuer } from './issue.ts';
import { type Outcome, type TlsMaterial, type TlsReport } from './material.ts';
import { type SelfIssuedSettings, SelfIssuedSource } from './self-issued-source.ts';
import { OnceReporter } from './report-once.ts';
import { configuredFilesOf, validityWarning } from './configured.ts';
import { ConfiguredSource } from './configured-source.ts';
import { SerialQueue } from '../tasks/serial-queue.ts';
import { errorText } from '../tasks/error-text.ts';

/** May change while the program runs. An empty path means: not set. */
export type CertificateSettings = {
  readonly certFile: string;
  readonly keyFile: string;
  /** Extra names of the self-issued certificate (setting web.hosts). */
  readonly hosts: readonly string[];
};

export type CertificatesOptions = CertificateSettings & {
  /** The folder of the self-issued files: `<dataDir>/tls`. */
  readonly folder: string;
  readonly hostname: string;
  /** The current addresses of this machine; link-local ones are ignored. */
  readonly addresses: () => readonly string[];
  readonly nowMs: () => number;
  readonly issuer: Issuer;
  readonly report: (report: TlsReport) => void;
};

type Sources = {
  readonly configured: Outcome<ConfiguredSource | undefined>;
  readonly selfIssued: SelfIssuedSource;
};

export class Certificates {
  readonly #options: CertificatesOptions;
  #reporter: OnceReporter;
  #sources: Sources;
  #current: TlsMaterial;
  #onChange: (material: TlsMaterial) => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #queue = new SerialQueue();
  #ticking = false;
  #closed = false;

  /** Fails only when a self-issued certificate can neither be loaded nor issued. */
  static async open(options: CertificatesOptions): Promise<Outcome<Certificates>> {
    const reporter = new OnceReporter(options.report);
    const sources = sourcesOf(options, options, reporter);
    const first = await firstMaterial(sources, reporter);
    if (!first.ok) return first;
    const opened = new Certificates(options, reporter, sources, first.value);
    opened.#reportValidity();
    return { ok: true, value: opened };
  }

  private constructor(
    options: CertificatesOptions,
    reporter: OnceReporter,
    sources: Sources,
    first: TlsMaterial,
  ) {
    this.#options = options;
    this.#reporter = reporter;
    this.#sources = sources;
    this.#current = first;
  }

  get current(): TlsMaterial {
    return this.#current;
  }

  /** Checks at each interval; `onChange` gets the new certificate for the server. */
  watch(intervalMs: number, onChange: (material: TlsMaterial) => void): void {
    this.#onChange = onChange;
    clearInterval(this.#timer);
    if (!this.#closed) this.#timer = setInterval(() => void this.#tick(), intervalMs).unref();
  }

  /** Checks the files, the clock and the addresses once; `watch` calls it at each interval. */
  check(): Promise<void> {
    return this.#queue.run(async () => {
      await this.#checkConfigured();
      if (this.#current.source === 'own') await this.#checkSelfIssued();
      this.#reportValidity();
    });
  }

  /** Applies new settings. On a failure the served certificate stays, and the new paths are watched. */
  reconfigure(settings: CertificateSettings): Promise<Outcome<TlsMaterial>> {
    return this.#queue.run(async () => {
      this.#reporter = new OnceReporter(this.#options.report);
      this.#sources = sourcesOf(this.#options, settings, this.#reporter);
      const { configured, selfIssued } = this.#sources;
      const loaded = await (configured.ok ? (configured.value ?? selfIssued).load() : configured);
      this.#apply(configured.ok && !configured.value ? 'own' : 'user', loaded);
      this.#reportValidity();
      return loaded;
    });
  }

  /** Stops the timer and waits for a running check; nothing is called afterwards. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#queue.idle();
  }

  async #checkConfigured(): Promise<void> {
    const { configured } = this.#sources;
    const found = configured.ok ? await configured.value?.check() : undefined;
    if (found) this.#apply('user', found);
  }

  async #checkSelfIssued(): Promise<void> {
    const found = await this.#sources.selfIssued.check();
    if (found) this.#apply('own', found);
  }

  #apply(topic: 'user' | 'own', found: Outcome<TlsMaterial>): void {
    if (this.#closed) return;
    if (!found.ok) return this.#reporter.report(topic, 'error', found.problem);
    if (topic === 'user') this.#reporter.report(topic, 'error', undefined);
    const { key, cert } = this.#current;
    this.#current = found.value;
    if (key !== found.value.key || cert !== found.value.cert) this.#onChange(found.value);
  }

  #reportValidity(): void {
    if (this.#closed) return;
    const isConfigured = this.#current.source === 'user';
    const warning = isConfigured ? validityWarning(this.#current, this.#options.nowMs()) : undefined;
    this.#reporter.report('validity', 'warning', warning);
  }

  /** No caller awaits a tick, so an exception (a bug, or from `onChange`) must become a report. */
  async #tick(): Promise<void> {
    if (this.#ticking) return;
    this.#ticking = true;
    try {
      await this.check();
      this.#reporter.report('check', 'error', undefined);
    } catch (error) {
      const cause = errorText(error);
      this.#reporter.report(
        'check',
        'error',
        `The TLS certificate could not be checked (${cause}). Restart the program.`,
      );
    } finally {
      this.#ticking = false;
    }
  }
}

function sourcesOf(
  options: CertificatesOptions,
  settings: CertificateSettings,
  reporter: OnceReporter,
): Sources {
  const files = configuredFilesOf(settings.certFile, settings.keyFile);
  const selfIssued: SelfIssuedSettings = { ...options, hosts: settings.hosts };
  return {
    configured: files.ok ? { ok: true, value: files.value && new ConfiguredSource(files.value) } : files,
    selfIssued: new SelfIssuedSource(selfIssued, reporter),
  };
}

async function firstMaterial(
  { configured, selfIssued }: Sources,
  reporter: OnceReporter,
): Promise<Outcome<TlsMaterial>> {
  const loaded = await (configured.ok ? configured.value?.load() : configured);
  if (loaded?.ok) return loaded;
  if (loaded) reporter.report('user', 'error', loaded.problem);
  return selfIssued.load();
}
