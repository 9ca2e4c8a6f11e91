// Handlers about the service itself: health, status, the list of endpoints, and the documentation.

import { endpoints, fail, openApiDocument, type ReplyBody } from '#contract';
import { lacksCsrfToken } from '../auth/caller.ts';
import { docsPage, readDocsFile } from '../http/docs-files.ts';
import type { Handlers } from '../http/handler.ts';
import { listEndpoints } from '../http/endpoints-list.ts';

type Names =
  | 'getStart'
  | 'getHealth'
  | 'getStatus'
  | 'getEndpoints'
  | 'getDocs'
  | 'getOpenApi'
  | 'getDocsFile';

export type ServiceStatus = ReplyBody<'getStatus', 200>['status'];

export interface ServiceParts {
  readonly version: string;
  readonly basePath: () => string;
  readonly status: () => ServiceStatus;
  /** The current problems; callers without a credential do not get every detail. */
  readonly health: (mayKnow: boolean) => HealthNow;
}

type Problems = ReplyBody<'getHealth', 200>['degraded'];

interface HealthNow {
  /** Failed parts that the service cannot work without. */
  readonly failing: Problems;
  readonly degraded: Problems;
}

export function createServiceHandlers({
  version,
  basePath,
  status,
  health,
}: ServiceParts): Pick<Handlers, Names> {
  return {
    getStart: () => ({ status: 302, headers: { location: `${basePath()}/api/docs` } }),
    getHealth: ({ caller }) => healthReply(health(caller !== undefined && !lacksCsrfToken(caller))),
    getStatus: () => ({ status: 200, body: { status: status() } }),
    getEndpoints: () => ({ status: 200, body: { endpoints: listEndpoints(endpoints) } }),
    getDocs: () => ({ status: 200, stream: docsPage(basePath()) }),
    getOpenApi: () => ({
      status: 200,
      stream: {
        mediaType: 'application/json; charset=utf-8',
        bytes: openApiBytes(version, basePath() || '/'),
      },
    }),
    getDocsFile: async ({ params }) => {
      const file = await readDocsFile(params.file);
      if (file === undefined) return fail('notFound', `/api/docs/${params.file}`);
      return { status: 200, stream: file, headers: { 'cache-control': 'public, max-age=3600' } };
    },
  };
}

function healthReply({ failing, degraded }: HealthNow) {
  const [first] = failing;
  if (first === undefined) {
    const word = degraded.length === 0 ? ('ok' as const) : ('degraded' as const);
    return { status: 200 as const, body: { status: word, degraded } };
  }
  return fail('dnsUnanswered', first.reason, {
    beside: { status: 'failing', failing, degraded },
    headers: { 'retry-after': '5' },
  });
}

/** Half a megabyte that changes only with the base path: built once and shared by all requests. */
function openApiBytes(version: string, serverUrl: string): Buffer {
  if (made?.serverUrl !== serverUrl) {
    const document = openApiDocument(endpoints, { version, serverUrl });
    made = { serverUrl, bytes: Buffer.from(JSON.stringify(document)) };
  }
  return made.bytes;
}

let made: { readonly serverUrl: string; readonly bytes: Buffer } | undefined;
