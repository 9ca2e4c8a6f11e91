// The version of this program, from the package that it came with: one place says it, and that is
// package.json.

import { readFileSync } from 'node:fs';

const readVersion = (): string => {
  // The sources lie two folders below the package, the bundle one.
  for (const path of ['../../package.json', '../package.json']) {
    try {
      const found: { name?: string; version?: string } = JSON.parse(
        readFileSync(new URL(path, import.meta.url), 'utf8'),
      );
      if (found.name === 'sluice' && found.version !== undefined) return found.version;
    } catch {
      // Not there: the other layout.
    }
  }
  return '0.0.0';
};

export const version = readVersion();
