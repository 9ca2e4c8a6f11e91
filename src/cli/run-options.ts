// The input of all commands from the entry file: the command line, the environment, and the located data
// folder and settings file.

import type { Located } from '#service';

export interface RunOptions {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly located: Located;
  readonly compileCacheDir: string;
}
