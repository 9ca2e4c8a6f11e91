// The documentation page and its files. They are part of the program, because the reader may have no internet
// access: in a checkout they come from the npm package, in a build from a folder beside the bundle.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export interface DocsFile {
  readonly mediaType: string;
  readonly bytes: Buffer;
}

const mediaTypes = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  // Without the charset, browsers decode the bundle with their default charset, and it does not parse.
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
]);

export async function readDocsFile(name: string): Promise<DocsFile | undefined> {
  if (name === 'start.js')
    return { mediaType: 'text/javascript; charset=utf-8', bytes: Buffer.from(startScript) };
  const mediaType = mediaTypes.get(name);
  if (mediaType === undefined) return undefined;
  // One copy for all requests: a thousand slow readers must not need a thousand copies.
  const reading = files.get(name) ?? readFile(join(docsDir(), name));
  files.set(name, reading);
  return { mediaType, bytes: await reading };
}

const files = new Map<string, Promise<Buffer>>();

/** Links are absolute, so that the page works with and without a trailing slash in its URL. */
export function docsPage(basePath: string): DocsFile {
  return {
    mediaType: 'text/html; charset=utf-8',
    bytes: Buffer.from(`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Sluice API</title>
    <link rel="icon" href="${basePath}/api/docs/favicon-32x32.png">
    <link rel="stylesheet" href="${basePath}/api/docs/swagger-ui.css">
  </head>
  <body>
    <div id="page" data-document="${basePath}/api/docs/openapi.json"></div>
    <noscript>This page needs JavaScript. The same as a document: ${basePath}/api/docs/openapi.json</noscript>
    <script src="${basePath}/api/docs/swagger-ui-bundle.js"></script>
    <script src="${basePath}/api/docs/start.js"></script>
  </body>
</html>
`),
  };
}

const startScript = `SwaggerUIBundle({
  url: document.getElementById('page').dataset.document,
  dom_id: '#page',
  deepLinking: true,
  validatorUrl: null,
});
`;

function docsDir(): string {
  const beside = join(import.meta.dirname, 'docs-page');
  if (existsSync(beside)) return beside;
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}
