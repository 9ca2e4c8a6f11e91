// Watches the user's two files. Programs that renew certificates replace them one after the other, so for a
// moment a good renewal looks like a key of another certificate. Hence a pair that cannot be loaded is
// called broken only when the next look finds the files unchanged; a pair that can be loaded is taken at
// once. The stamp is taken before the files are read: what changes during the reading is seen as a change
// by the next look.

import { stampOf } from './files.ts';
import type { Outcome, TlsMaterial } from './material.ts';
import { loadUserCertificate, type UserFiles } from './configured.ts';

export class UserSource {
  readonly #files: UserFiles;
  #stamp = '';
  #failure: { readonly ok: false; readonly problem: string } | undefined;

  constructor(files: UserFiles) {
    this.#files = files;
  }

  /** Loads the files whether they changed or not, and takes a failure at its word. */
  async load(): Promise<Outcome<TlsMaterial>> {
    this.#failure = undefined;
    this.#stamp = await this.#stampNow();
    return loadUserCertificate(this.#files);
  }

  /** Undefined when there is nothing to say; a failure is said at each look, and told once by the teller. */
  async look(): Promise<Outcome<TlsMaterial> | undefined> {
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
