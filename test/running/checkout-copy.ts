// A copy of the whole checkout, without a bundle, to try what npm's scripts do there. The packages are
// linked.

import { cpSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { temporaryFolder } from './folder.ts';
import { root } from './program.ts';

const PARTS = ['bin', 'src', 'tools', 'package.json', 'package-lock.json'];

export function copyOfCheckout(): string {
  const folder = realpathSync(temporaryFolder());
  for (const name of PARTS) cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** What runs a script of npm there, in place of the launcher that follows it. */
export const npmIn = (folder: string, script: string): readonly string[] => [
  'sh',
  '-c',
  `cd '${folder}' && exec npm --silent run ${script}`,
];
