// Shared by the tests of lists: a temporary folder, a scripted list server on loopback, and an updater that
// does not wait between retries.

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { loadPatternCheck } from '#policy';
import type { Log } from '../../platform/log/log.ts';
import { examineDraft } from '../../lists/copies/examine.ts';
import type { FetchLimits } from '../../lists/list-limits.ts';
import { ListCopies } from '../../lists/copies/list-copies.ts';
import { ListUpdater, type ListUpdaterOptions } from '../../lists/update/list-updater.ts';

export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-lists-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export type Page = (request: IncomingMessage, response: ServerResponse) => void;

/** Serves pages by path; returns the address of the server. */
export async function listServer(t: TestContext, pages: Readonly<Record<string, Page>>): Promise<string> {
  const listener: RequestListener = (request, response) => {
    const page = pages[request.url ?? ''];
    if (page === undefined) response.writeHead(404).end('not here');
    else page(request, response);
  };
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // A listening TCP server has an address and a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The rights of lists that tests subscribe to. */
export const sudo = { added_with: 'sudo' } as const;

export function textPage(text: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Page {
  return (_request, response) => void response.writeHead(200, headers).end(text);
}

/** Small sizes, and timeouts so long that a busy machine does not reach them. */
export const testLimits: FetchLimits = {
  packedBytes: 1_000_000,
  unpackedBytes: 4_000_000,
  redirects: 5,
  connectMs: 60_000,
  silenceMs: 60_000,
  slowBytes: 1,
  slowMs: 60_000,
  overallMs: 120_000,
};

const nothing = (): void => undefined;
const silentLog: Log = { error: nothing, warn: nothing, info: nothing, debug: nothing };

/** Numbered names, one per line. */
export function namesText(count: number, from = 0): string {
  return Array.from({ length: count }, (_, at) => `host-${from + at}.example\n`).join('');
}

export async function testUpdater(
  folder: string,
  change: Partial<ListUpdaterOptions> = {},
  allowLocal = () => true,
): Promise<{ readonly updater: ListUpdater; readonly copies: ListCopies; readonly waits: number[] }> {
  const copies = new ListCopies(folder);
  const checkPattern = await loadPatternCheck();
  const waits: number[] = [];
  const updater = new ListUpdater({
    copies,
    fetch: { userAgent: 'sluice/test', limits: testLimits, allowLocal },
    examine: (path, bytes) => examineDraft(path, bytes, checkPattern),
    inForce: () => undefined,
    nowMs: () => 1_000_000,
    random: () => 0.5,
    sleep: (ms) => Promise.resolve(void waits.push(ms)),
    log: silentLog,
    ...change,
  });
  return { updater, copies, waits };
}
