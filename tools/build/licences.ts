// Writes the licences of all bundled packages into one file, because the bundle does not contain their
// licence files. A package without a licence file is listed with the licence of its manifest.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Manifest = { readonly name: string; readonly version: string; readonly license?: string };

const HEAD = 'This package contains third-party code, each part under its own licence.';
const LICENCE_FILE = /^(?:licen[cs]e|notice|copying|copyright)|\.licen[cs]e\.txt$/i;
const RULE = '-'.repeat(100);

export function writeLicences(path: string, packages: readonly string[]): void {
  writeFileSync(path, [HEAD, ...packages.map(licenceOf)].join(`\n\n${RULE}\n\n`) + '\n');
}

function licenceOf(folder: string): string {
  // Every installed package has a manifest, and npm has checked these fields.
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const texts = readdirSync(folder)
    .filter((name) => LICENCE_FILE.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8').trim());
  return [`${manifest.name} ${manifest.version} (${manifest.license ?? 'see below'})`, ...texts].join('\n\n');
}
