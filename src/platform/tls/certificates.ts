// The owner of what the HTTPS server presents: opens it, watches it, and hands out new material when the
// user's files changed or our own certificate was renewed. The rule behind it is that HTTPS stays up: a
// user's certificate that cannot be loaded at the start is replaced by our own, one that breaks later
// leaves the previous one serving, and either is reported once. Checks and changes of the settings run one
// after the other, never at the same time.

import type { Issuer } from './issue.ts';
import { causeOf, type Outcome, type TlsMaterial, type TlsReport } from './material.ts';
import { type OwnSettings, OwnSource } from './self-issued-source.ts';
import { Teller } from './report-once.ts';
import { userFilesOf, validityWarning } from './configured.ts';
import { UserSource } from './configured-source.ts';

/** What may change while the program runs. An empty path means: not set. */
export type CertificateSettings = {
  readonly certFile: string;
  readonly keyFile: string;
  /** Extra names of our own certificate (setting web.hosts). */
  readonly hosts: readonly string[];
};

export type CertificatesOptions = CertificateSettings & {
  /** Where our own files lie: `<dataDir>/tls`. */
  readonly folder: string;
  readonly hostname: string;
  /** The addresses of this machine at the moment; link-local ones are left out here. */
  readonly addresses: () => readonly string[];
  readonly nowMs: () => number;
  readonly issuer: Issuer;
  readonly report: (report: TlsReport) => void;
};

type Sources = { readonly user: Outcome<UserSource | undefined>; readonly own: OwnSource };

export class Certificates {
  readonly #options: CertificatesOptions;
  #teller: Teller;
  #sources: Sources;
  #current: TlsMaterial;
  #onChange: (material: TlsMaterial) => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<unknown> = Promise.resolve();
  #ticking = false;
  #closed = false;

  /** Fails only when our own certificate can neither be loaded nor made. */
  static async open(options: CertificatesOptions): Promise<Outcome<Certificates>> {
    const teller = new Teller(options.report);
    const sources = sourcesOf(options, options, teller);
    const first = await firstMaterial(sources, teller);
    if (!first.ok) return first;
    const opened = new Certificates(options, teller, sources, first.value);
    opened.#tellValidity();
    return { ok: true, value: opened };
  }

  private constructor(options: CertificatesOptions, teller: Teller, sources: Sources, first: TlsMaterial) {
    this.#options = options;
    this.#teller = teller;
    this.#sources = sources;
    this.#current = first;
  }

  get current(): TlsMaterial {
    return this.#current;
  }

  /** Checks again and again; `onChange` gets what the server should present from now on. */
  watch(intervalMs: number, onChange: (material: TlsMaterial) => void): void {
    this.#onChange = onChange;
    clearInterval(this.#timer);
    if (!this.#closed) this.#timer = setInterval(() => void this.#tick(), intervalMs).unref();
  }

  /** One look at the files, the clock and the addresses; what `watch` does at each interval. */
  check(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#checkUser();
      if (this.#current.source === 'own') await this.#checkOwn();
      this.#tellValidity();
    });
  }

  /** New settings. On a failure what was served stays, and the new paths are watched for their repair. */
  reconfigure(settings: CertificateSettings): Promise<Outcome<TlsMaterial>> {
    return this.#inTurn(async () => {
      this.#teller = new Teller(this.#options.report);
      this.#sources = sourcesOf(this.#options, settings, this.#teller);
      const { user, own } = this.#sources;
      const loaded = await (user.ok ? (user.value ?? own).load() : user);
      this.#take(user.ok && !user.value ? 'own' : 'user', loaded);
      this.#tellValidity();
      return loaded;
    });
  }

  /** Stops the timer and waits for a check under way; nothing is called afterwards. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#work;
  }

  async #checkUser(): Promise<void> {
    const { user } = this.#sources;
    const found = user.ok ? await user.value?.look() : undefined;
    if (found) this.#take('user', found);
  }

  async #checkOwn(): Promise<void> {
    const found = await this.#sources.own.look();
    if (found) this.#take('own', found);
  }

  #take(topic: 'user' | 'own', found: Outcome<TlsMaterial>): void {
    if (this.#closed) return;
    if (!found.ok) return this.#teller.tell(topic, 'error', found.problem);
    if (topic === 'user') this.#teller.tell(topic, 'error', undefined);
    const { key, cert } = this.#current;
    this.#current = found.value;
    if (key !== found.value.key || cert !== found.value.cert) this.#onChange(found.value);
  }

  #tellValidity(): void {
    if (this.#closed) return;
    const user = this.#current.source === 'user';
    const warning = user ? validityWarning(this.#current, this.#options.nowMs()) : undefined;
    this.#teller.tell('validity', 'warning', warning);
  }

  /** Nobody awaits a tick, so what is thrown here (a bug, or by `onChange`) must end as a report. */
  async #tick(): Promise<void> {
    if (this.#ticking) return;
    this.#ticking = true;
    try {
      await this.check();
      this.#teller.tell('check', 'error', undefined);
    } catch (error) {
      const cause = causeOf(error);
      this.#teller.tell(
        'check',
        'error',
        `The TLS certificate could not be checked (${cause}). Restart the program.`,
      );
    } finally {
      this.#ticking = false;
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#work.then(work);
    this.#work = turn.catch(() => undefined);
    return turn;
  }
}

function sourcesOf(options: CertificatesOptions, settings: CertificateSettings, teller: Teller): Sources {
  const files = userFilesOf(settings.certFile, settings.keyFile);
  const own: OwnSettings = { ...options, hosts: settings.hosts };
  return {
    user: files.ok ? { ok: true, value: files.value && new UserSource(files.value) } : files,
    own: new OwnSource(own, teller),
  };
}

async function firstMaterial({ user, own }: Sources, teller: Teller): Promise<Outcome<TlsMaterial>> {
  const loaded = await (user.ok ? user.value?.load() : user);
  if (loaded?.ok) return loaded;
  if (loaded) teller.tell('user', 'error', loaded.problem);
  return own.load();
}
