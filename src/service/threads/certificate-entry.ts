// Where the short-lived thread starts that makes one certificate. It tells the PEM text and ends.

import { X509Certificate } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { directIssuer, type IssueJob } from '#platform/tls';

function make(job: IssueJob): Promise<X509Certificate> {
  return job.kind === 'authority'
    ? directIssuer.authority({
        ...job.request,
        previous: job.previous === undefined ? undefined : new X509Certificate(job.previous),
      })
    : directIssuer.server({ ...job.request, authority: new X509Certificate(job.authority) });
}

// Whoever starts the thread gives it just this.
const made = await make(workerData as IssueJob);
parentPort?.postMessage(made.toString());
