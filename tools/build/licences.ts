// Writes down whose work is in the bundle, and under which licence: a bundle no longer carries the files in
// which its parts say so themselves. A package without any such file is named with what its manifest says.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Manifest = { readonly name: string; readonly version: string; readonly license?: string };

const HEAD = 'This package contains code of others, each part under its own licence.';
const LICENCE_FILE = /^(?:licen[cs]e|notice|copying|copyright)|\.licen[cs]e\.txt$/i;
const RULE = '-'.repeat(100);

export function writeLicences(path: string, packages: readonly string[]): void {
  writeFileSync(path, [HEAD, ...packages.map(licenceOf)].join(`\n\n${RULE}\n\n`) + '\n');
}

function licenceOf(folder: string): string {
  // Every installed package has one, and npm has looked at these fields.
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const texts = readdirSync(folder)
    .filter((name) => LICENCE_FILE.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8').trim());
  return [`${manifest.name} ${manifest.version} (${manifest.license ?? 'see below'})`, ...texts].join('\n\n');
}
