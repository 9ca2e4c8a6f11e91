// Watches the two configured files. Programs that renew certificates replace them one after the other, so for
// a moment a good renewal looks like the key of another certificate. Hence a pair that cannot be loaded
// counts as broken only when the next check finds the files unchanged; a pair that can be loaded is used at
// once. The stamp is computed before the files are read: a change during the reading is detected by the next
// check.

import { stampOf } from './files.ts';
import type { Outcome, TlsMaterial } from './material.ts';
import { loadConfiguredCertificate, type ConfiguredFiles } from './configured.ts';

export class ConfiguredSource {
  readonly #files: ConfiguredFiles;
  #stamp = '';
  #failure: { readonly ok: false; readonly problem: string } | undefined;

  constructor(files: ConfiguredFiles) {
    this.#files = files;
  }

  /** Loads the files whether they changed or not, and reports a failure at once. */
  async load(): Promise<Outcome<TlsMaterial>> {
    this.#failure = undefined;
    this.#stamp = await this.#stampNow();
    return loadConfiguredCertificate(this.#files);
  }

  /** Undefined when nothing has changed; a failure is returned by each check and reported once. */
  async check(): Promise<Outcome<TlsMaterial> | undefined> {
    if ((await this.#stampNow()) === this.#stamp) return this.#failure;
    const loaded = await this.load();
    if (loaded.ok) return loaded;
    this.#failure = loaded;
    return undefined;
  }

  #stampNow(): Promise<string> {
    return stampOf([this.#files.certFile, this.#files.keyFile]);
  }
}
