// Handlers about the service itself: health, state, the list of endpoints, and the documentation.

import { endpoints, fail, openApiDocument } from '#contract';
import { docsPage, readDocsFile } from '../http/docs-files.ts';
import type { Handlers } from '../http/handler.ts';
import { listEndpoints } from '../http/endpoints-list.ts';
import type { ServiceStatus } from '../threads/messages.ts';

type Names =
  | 'getStart'
  | 'getHealth'
  | 'getStatus'
  | 'getEndpoints'
  | 'getDocs'
  | 'getOpenApi'
  | 'getDocsFile';

export interface ServiceParts {
  readonly version: string;
  readonly basePath: () => string;
  readonly status: () => ServiceStatus;
  /** Parts that do not work, and why. */
  readonly failing: () => { part: string; problem: string }[];
}

export const createServiceHandlers = ({
  version,
  basePath,
  status,
  failing,
}: ServiceParts): Pick<Handlers, Names> => ({
  getStart: () => ({ status: 302, headers: { location: `${basePath()}/api/docs` } }),
  getHealth: () => {
    const parts = failing();
    if (parts.length === 0) return { status: 200, body: { status: 'ok' } };
    return { status: 503, body: { status: 'failing', failing: parts }, headers: { 'retry-after': '5' } };
  },
  getStatus: () => ({ status: 200, body: { status: status() } }),
  getEndpoints: () => ({ status: 200, body: { endpoints: listEndpoints(endpoints) } }),
  getDocs: () => ({ status: 200, stream: docsPage(basePath()) }),
  getOpenApi: () => ({
    status: 200,
    stream: { mediaType: 'application/json; charset=utf-8', bytes: openApiBytes(version, basePath() || '/') },
  }),
  getDocsFile: async ({ params }) => {
    const file = await readDocsFile(params.file);
    if (file === undefined) return fail('notFound', `/api/docs/${params.file}`);
    return { status: 200, stream: file, headers: { 'cache-control': 'public, max-age=3600' } };
  },
});

/** Half a megabyte that changes only with the base path: made once, and shared by all who ask. */
const openApiBytes = (version: string, serverUrl: string): Buffer => {
  if (made?.serverUrl !== serverUrl) {
    const document = openApiDocument(endpoints, { version, serverUrl });
    made = { serverUrl, bytes: Buffer.from(JSON.stringify(document)) };
  }
  return made.bytes;
};

let made: { readonly serverUrl: string; readonly bytes: Buffer } | undefined;
