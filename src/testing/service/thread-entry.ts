// The file that a thread of a test starts from: that of the built program where `npm test` has built it,
// which loads in a third of the time; else the source.

import { pathToFileURL } from 'node:url';
import { threadEntries } from '../../service/entries.ts';

const launcher = process.env['SLUICE_TEST_PROGRAM'];

export function threadEntry(name: keyof typeof threadEntries): URL {
  if (launcher === undefined) return threadEntries[name];
  return new URL(`../dist/${name}-entry.js`, pathToFileURL(launcher));
}
