// Copies the files of the API documentation page next to the bundle, because the page works offline. Of the
// twelve megabytes of Swagger UI, the page loads only these files.

import { copyFileSync, cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { ROOT } from '../run.ts';

export const DOCS_PACKAGE = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));

const OWN_FILES = join(ROOT, 'src', 'api', 'http', 'docs-page');
const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

export function copyDocsPage(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of FILES) copyFileSync(join(DOCS_PACKAGE, name), join(folder, name));
  cpSync(OWN_FILES, folder, { recursive: true });
}
