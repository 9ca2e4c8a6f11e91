// One private CA and certificate for the services of all tests, because issuing them takes a service half a
// second of one core. The first service that has issued its own stores them here; the others find them in
// their data folders, as after an earlier start. A service renews a certificate that does not match its
// names.

import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { sharedCache } from './program.ts';

/** One for each day: a certificate is valid for months, and the cache folder may exist for longer. */
const shared = join(sharedCache, `tls-${new Date().toISOString().slice(0, 10)}`);

/** Copies the shared certificate into a new data folder, if there is one. */
export function copySharedCertificate(dataDir: string): void {
  const isNew = !['sluice.db', 'tls'].some((name) => existsSync(join(dataDir, name)));
  if (isNew && existsSync(dataDir) && existsSync(shared))
    cpSync(shared, join(dataDir, 'tls'), { recursive: true });
}

/** Stores the certificate of a ready service as the shared one; another test may do so at the same time. */
export function storeSharedCertificate(dataDir: string): void {
  const own = join(dataDir, 'tls');
  if (existsSync(shared) || !existsSync(join(own, 'server.crt'))) return;
  mkdirSync(sharedCache, { recursive: true });
  const draft = mkdtempSync(join(sharedCache, 'tls-making-'));
  cpSync(own, draft, { recursive: true });
  try {
    renameSync(draft, shared);
  } catch {
    // Another test has stored one in the meantime.
    rmSync(draft, { recursive: true });
  }
}
