// A small checkout like the real one: the same launcher, the same check of the sources, the same way to
// replace the bundle. Only the build differs: it copies `src/cli/main.ts` in place of bundling it, which is
// so fast that many cases can be tested. Files in its root change how the build behaves.

import { cpSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { copyLauncher, linkNode } from './built.ts';
import { temporaryFolder } from './folder.ts';
import { root } from './program.ts';

const BUILD = `import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceBundle } from './build/replace-bundle.ts';
const root = join(import.meta.dirname, '..');
await replaceBundle(join(root, 'dist'), async (folder) => {
  mkdirSync(folder);
  const main = join(root, 'src/cli/main.ts');
  if (readFileSync(main, 'utf8').includes('broken')) throw new Error('A wrong line.');
  copyFileSync(main, join(folder, 'main.js'));
  if (existsSync(join(root, 'hang'))) await new Promise((resolve) => setTimeout(resolve, 600_000));
});
`;
const COPIED = [
  'tools/run.ts',
  'tools/build/checkout.sh',
  'tools/build/stamp.ts',
  'tools/build/replace-bundle.ts',
];

export type SmallCheckout = {
  readonly folder: string;
  readonly launcher: string;
  /** Its `dist/main.js`. */
  readonly bundle: string;
  readonly path: (name: string) => string;
  readonly write: (name: string, text: string) => void;
};

/** A checkout whose program prints the text. */
export function smallCheckout(prints: string): SmallCheckout {
  const checkout = checkoutIn(newFolder());
  const { path, write } = checkout;
  for (const name of COPIED) cpSync(join(root, name), path(name));
  write('tools/build.ts', BUILD);
  write('package.json', '{"type":"module"}');
  write('package-lock.json', '{}');
  write('src/cli/main.ts', printing(prints));
  write('src/cli/other.ts', '');
  write('node_modules/rolldown/package.json', '{}');
  linkNode(path('node_modules'));
  copyLauncher(checkout.launcher);
  return checkout;
}

/** A copy with its bundle, if it has one. */
export function copyCheckout({ folder }: SmallCheckout): SmallCheckout {
  const checkout = checkoutIn(newFolder());
  cpSync(folder, checkout.folder, { recursive: true, verbatimSymlinks: true });
  return checkout;
}

function newFolder(): string {
  return join(realpathSync(temporaryFolder()), 'a checkout');
}

function checkoutIn(folder: string): SmallCheckout {
  const path = (name: string): string => join(folder, name);
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
  };
  return { folder, launcher: path('bin/sluice'), bundle: path('dist/main.js'), path, write };
}

export const printing = (text: string): string => `console.log(${JSON.stringify(text)});\n`;

export const hasBundle = ({ bundle }: SmallCheckout): boolean => existsSync(bundle);
