// Puts the files of the API's documentation page beside the bundle. The page works with no internet access,
// so they come with the package; of the twelve megabytes that Swagger UI ships these are all that the page
// loads.

import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const DOCS_PACKAGE = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));

const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

export function copyDocsPage(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of FILES) copyFileSync(join(DOCS_PACKAGE, name), join(folder, name));
}
