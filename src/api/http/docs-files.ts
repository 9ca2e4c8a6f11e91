// The documentation page and its files. They are part of the program, because the reader may have no internet
// access: in a checkout they come from the npm package, in a build from a folder beside the bundle.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { csrfHeaders } from '#contract';

export interface DocsFile {
  readonly mediaType: string;
  readonly bytes: Buffer;
}

const script = 'text/javascript; charset=utf-8';
const styleSheet = 'text/css; charset=utf-8';

/** By the folder that has the files in a checkout. */
const mediaTypes = {
  own: new Map([
    ['page.js', script],
    ['page.css', styleSheet],
  ]),
  package: new Map([
    ['swagger-ui.css', styleSheet],
    // Without the charset, browsers decode the bundle with their default charset, and it does not parse.
    ['swagger-ui-bundle.js', script],
    ['favicon-32x32.png', 'image/png'],
  ]),
};

export async function readDocsFile(name: string): Promise<DocsFile | undefined> {
  const mediaType = mediaTypes.own.get(name) ?? mediaTypes.package.get(name);
  if (mediaType === undefined) return undefined;
  // One copy for all requests: a thousand slow readers must not need a thousand copies.
  const reading = files.get(name) ?? readFile(join(folderOf(name), name));
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
    <link rel="stylesheet" href="${basePath}/api/docs/page.css">
  </head>
  <body>
    <div id="account">
      <p id="session" role="status"></p>
      <form id="login" hidden>
        <label>Password
          <input name="password" type="password" autocomplete="current-password" required>
        </label>
        <label>Token, if two-factor authentication is on
          <input name="totp" inputmode="numeric" autocomplete="one-time-code">
        </label>
        <button>Log in</button>
      </form>
      <button id="logout" type="button" hidden>Log out</button>
    </div>
    <div
      id="page"
      data-document-url="${basePath}/api/docs/openapi.json"
      data-auth-url="${basePath}/api/auth"
      data-csrf-header="${csrfHeaders[0]}"
    ></div>
    <noscript>This page needs JavaScript. The same as a document: ${basePath}/api/docs/openapi.json</noscript>
    <script src="${basePath}/api/docs/swagger-ui-bundle.js"></script>
    <script src="${basePath}/api/docs/page.js" type="module"></script>
  </body>
</html>
`),
  };
}

/** In a build, all files are in one folder. */
function folderOf(name: string): string {
  const own = join(import.meta.dirname, 'docs-page');
  if (existsSync(join(own, name))) return own;
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}
