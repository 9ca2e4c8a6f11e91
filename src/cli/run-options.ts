// What the entry file hands to the commands: the command line, the environment, and what was found before
// anything else was loaded.

import type { Located } from '#service';

export interface RunOptions {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly located: Located;
  readonly compileCacheDir: string;
}
