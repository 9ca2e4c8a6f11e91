// Entry of the short-lived thread that issues one certificate. It posts the PEM text and ends.

import { X509Certificate } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { directIssuer, type IssueJob } from '#platform/tls';

function issue(job: IssueJob): Promise<X509Certificate> {
  return job.kind === 'authority'
    ? directIssuer.authority({
        ...job.request,
        previous: job.previous === undefined ? undefined : new X509Certificate(job.previous),
      })
    : directIssuer.server({ ...job.request, authority: new X509Certificate(job.authority) });
}

// `workerData` is set by issuerInThread.
const issued = await issue(workerData as IssueJob);
parentPort?.postMessage(issued.toString());
