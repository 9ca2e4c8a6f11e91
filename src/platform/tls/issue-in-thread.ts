// Issues certificates in a short-lived thread. The X.509 library stays in memory once it is loaded, and it is
// needed once in two months; its memory is freed when the thread ends.

import { X509Certificate } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { AuthorityRequest, Issuer, ServerRequest } from './issue.ts';

/** Keys are sent between threads as objects, certificates as PEM. */
export type IssueJob =
  | {
      readonly kind: 'authority';
      readonly request: Omit<AuthorityRequest, 'previous'>;
      readonly previous: string | undefined;
    }
  | {
      readonly kind: 'server';
      readonly request: Omit<ServerRequest, 'authority'>;
      readonly authority: string;
    };

const maxMakingMs = 30_000;

export function issuerInThread(entry: URL): Issuer {
  return {
    authority: ({ key, hostname, nowMs, previous }) =>
      run(entry, { kind: 'authority', request: { key, hostname, nowMs }, previous: previous?.toString() }),
    server: ({ key, hostname, names, authorityKey, authority, nowMs }) =>
      run(entry, {
        kind: 'server',
        request: { key, hostname, names, authorityKey, nowMs },
        authority: authority.toString(),
      }),
  };
}

function run(entry: URL, job: IssueJob): Promise<X509Certificate> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(entry, { name: 'certificate', workerData: job });
    const tooLong = setTimeout(() => void worker.terminate(), maxMakingMs);
    worker.on('message', (pem: string) => resolve(new X509Certificate(pem)));
    worker.on('error', reject);
    worker.on('exit', (code) => {
      clearTimeout(tooLong);
      reject(new Error(`the thread that makes certificates ended with code ${code}`));
    });
  });
}
