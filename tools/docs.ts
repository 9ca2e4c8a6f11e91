// `npm run docs`: generates the documents that are derived from the contract (settings, OpenAPI, errors and
// limits, metrics). They are committed, so that a review shows their changes; `--check` (part of
// `npm run check`) fails if one is out of date.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { endpoints, openApiDocument } from '#contract';
import { errorsDocument } from './docs/errors.ts';
import { metricsDocument } from './docs/metrics.ts';
import { routesSource } from './docs/routes.ts';
import { settingsDocument } from './docs/settings.ts';

const { version }: { version: string } = JSON.parse(readFileSync('package.json', 'utf8'));

const documents = new Map([
  ['docs/settings.md', settingsDocument()],
  ['docs/errors.md', errorsDocument()],
  ['docs/metrics.md', metricsDocument()],
  ['src/contract/client/routes.ts', routesSource()],
  [
    'docs/openapi.json',
    `${JSON.stringify(openApiDocument(endpoints, { version, serverUrl: '/' }), null, 2)}\n`,
  ],
]);

function current(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

const stale = [...documents].filter(([path, text]) => current(path) !== text);

if (process.argv.includes('--check')) {
  for (const [path] of stale) console.error(`${path} is out of date: run \`npm run docs\` and commit it.`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const [path, text] of stale) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`wrote ${path}`);
  }
}
