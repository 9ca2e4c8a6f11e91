// The version of this program, read from package.json, which is the only place that has it.

import { readFileSync } from 'node:fs';

function readVersion(): string {
  // The sources are two folders below package.json, the bundle is one.
  for (const path of ['../../package.json', '../package.json']) {
    try {
      const found: { name?: string; version?: string } = JSON.parse(
        readFileSync(new URL(path, import.meta.url), 'utf8'),
      );
      if (found.name === 'sluice' && found.version !== undefined) return found.version;
    } catch {
      // Try the other layout.
    }
  }
  return '0.0.0';
}

export const version = readVersion();
