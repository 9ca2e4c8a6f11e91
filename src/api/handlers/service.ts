// Handlers about the service itself: health, status, the list of endpoints, and the documentation.

import { endpoints, fail, openApiDocument, type ReplyBody } from '#contract';
import { lacksCsrfToken } from '../auth/caller.ts';
import { docsPage, type DocsFile, readDocsFile } from '../http/docs-files.ts';
import type { Handlers } from '../http/handler.ts';
import { documentTagOf } from './etag.ts';
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
    getStart: () => ({ status: 302, headers: { location: '/api/docs' } }),
    getHealth: ({ caller }) => healthReply(health(caller !== undefined && !lacksCsrfToken(caller))),
    getStatus: () => ({ status: 200, body: { status: status() } }),
    getEndpoints: () => ({ status: 200, body: { endpoints: listEndpoints(endpoints) } }),
    getDocs: () => documentReply(docsPage(basePath())),
    getOpenApi: () =>
      documentReply({
        mediaType: 'application/json; charset=utf-8',
        bytes: openApiBytes(version, basePath() || '/'),
      }),
    getDocsFile: async ({ params }) => {
      const file = await readDocsFile(params.file);
      return file === undefined ? fail('notFound', `/api/docs/${params.file}`) : documentReply(file);
    },
  };
}

/** Caches keep a document and ask for it with its tag each time: an update of the service shows at once. */
function documentReply(file: DocsFile) {
  const tag = tags.get(file.bytes) ?? documentTagOf(file.bytes);
  tags.set(file.bytes, tag);
  const headers = { 'cache-control': 'public, no-cache', etag: tag, vary: 'Accept-Encoding' };
  return { status: 200 as const, stream: file, headers };
}

const tags = new WeakMap<Buffer, string>();

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
