// One private CA and certificate for the services of all tests: to make them takes a service half a second of
// one core. The first service that has made its own leaves them here for the others, which find them in their
// folders as after an earlier start. A service renews what does not fit its names.

import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { sharedCache } from './program.ts';

/** Of today: a certificate lives for months, and the folder of the cache perhaps longer. */
const shared = join(sharedCache, `tls-${new Date().toISOString().slice(0, 10)}`);

/** Gives a new data folder the shared certificate, if there is one. */
export function lendCertificate(dataDir: string): void {
  const isNew = !['sluice.db', 'tls'].some((name) => existsSync(join(dataDir, name)));
  if (isNew && existsSync(dataDir) && existsSync(shared))
    cpSync(shared, join(dataDir, 'tls'), { recursive: true });
}

/** Keeps the certificate of a service that is ready; another test may do so at the same moment. */
export function keepCertificate(dataDir: string): void {
  const own = join(dataDir, 'tls');
  if (existsSync(shared) || !existsSync(join(own, 'server.crt'))) return;
  mkdirSync(sharedCache, { recursive: true });
  const draft = mkdtempSync(join(sharedCache, 'tls-making-'));
  cpSync(own, draft, { recursive: true });
  try {
    renameSync(draft, shared);
  } catch {
    // It is there by now.
    rmSync(draft, { recursive: true });
  }
}
