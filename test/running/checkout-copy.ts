// A copy of the whole checkout without a bundle, for tests of npm's scripts. `node_modules` is linked.

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

/** For the option `wrap`: runs an npm script in the folder in place of the launcher, which is appended. */
export const npmIn = (folder: string, script: string): readonly string[] => [
  'sh',
  '-c',
  `cd '${folder}' && exec npm --silent run ${script}`,
];
