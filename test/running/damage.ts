// Ways to damage a file of the data folder, for tests that try all of them on every file.

import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { flipped } from '#testing/flipped';

export type Damage = 'deleted' | 'emptied' | 'cut in half' | 'byte early' | 'byte in the middle' | 'garbage';

export const damages: Readonly<Record<Damage, (path: string) => void>> = {
  deleted: (path) => rmSync(path),
  emptied: (path) => truncateSync(path, 0),
  'cut in half': (path) => truncateSync(path, Math.floor(statSync(path).size / 2)),
  'byte early': (path) => flipByte(path, Math.min(60, statSync(path).size - 1)),
  'byte in the middle': (path) => flipByte(path, Math.floor(statSync(path).size / 2)),
  garbage: (path) => writeFileSync(path, Buffer.alloc(statSync(path).size, 'garbage!')),
};

function flipByte(path: string, at: number): void {
  writeFileSync(path, flipped(readFileSync(path), at, 0x24));
}
