// Turns the outcome of a handler into the body and headers of a reply. Every JSON object gets `took`, and
// `ignored` if the request had unknown fields; every reply gets the security headers for browsers.

import {
  errors,
  limits,
  type ErrorName,
  type Failure,
  type LiveBody,
  type PushedBody,
  type SerialisedBody,
} from '#contract';

export interface PlainReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Uint8Array | string | undefined;
}

/** The outcome of any handler, without the types of the single endpoint. */
export type AnyOutcome =
  | Failure
  | Flowing
  | {
      readonly status: number;
      readonly body?: object | SerialisedBody | undefined;
      readonly stream?: { readonly mediaType: string; readonly bytes: Uint8Array };
      readonly headers?: Readonly<Record<string, string>>;
      readonly cookies?: readonly string[];
      readonly ignored?: readonly string[];
    };

/** An outcome whose body is not complete when the reply begins. */
export type Flowing = { readonly status: number; readonly headers?: Readonly<Record<string, string>> } & (
  | { readonly live: LiveBody }
  | { readonly pushed: PushedBody }
);

const securityHeaders = {
  'content-security-policy':
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; " +
    "frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-dns-prefetch-control': 'off',
} as const;

const emptyHeaders = { ...securityHeaders, 'cache-control': 'no-store' } as const;
const jsonHeaders = { ...emptyHeaders, 'content-type': 'application/json; charset=utf-8' } as const;
const textHeaders = { ...emptyHeaders, 'content-type': 'text/plain; charset=utf-8' } as const;
const retryAfterSeconds: Partial<Record<number, string>> = { 429: '1', 503: '2' };

export function toReply(
  outcome: Exclude<AnyOutcome, Flowing>,
  tookMs: number,
  ignored: readonly string[],
): PlainReply {
  if ('failure' in outcome) return failureReply(outcome, tookMs);
  const { status, body, stream, headers } = outcome;
  if (stream !== undefined) {
    return {
      status,
      headers: { ...emptyHeaders, 'content-type': stream.mediaType, ...headers },
      payload: stream.bytes,
    };
  }
  if (body === undefined) return { status, headers: { ...emptyHeaders, ...headers }, payload: undefined };
  const tail = closing(tookMs, [...ignored, ...(outcome.ignored ?? [])].slice(0, limits.ignoredNames));
  // A string, not bytes: Node then sends headers and body in one write instead of two.
  const payload = 'openJson' in body ? `${body.openJson},${tail}` : opened(body) + tail;
  return { status, headers: headers === undefined ? jsonHeaders : { ...jsonHeaders, ...headers }, payload };
}

export function failureReply({ failure, hint, beside, headers }: Failure, tookMs: number): PlainReply {
  const { status, key, message } = errors[failure];
  const retry = retryAfterSeconds[status];
  return {
    status,
    headers: { ...jsonHeaders, ...(retry === undefined ? {} : { 'retry-after': retry }), ...headers },
    payload: opened({ error: { key, message, hint }, ...beside }) + closing(tookMs, []),
  };
}

/** The head of a reply whose body is written later. */
export function flowingHead({ status, ...outcome }: Flowing): PlainReply {
  return {
    status,
    headers: {
      ...('live' in outcome ? liveHeaders(outcome.live) : pushedHeaders(outcome.pushed)),
      ...outcome.headers,
    },
    payload: undefined,
  };
}

function liveHeaders({ form, headers }: LiveBody) {
  return {
    ...(form === 'json' ? jsonHeaders : textHeaders),
    ...headers,
  };
}

function pushedHeaders({ mediaType }: PushedBody) {
  return {
    ...emptyHeaders,
    'content-type': mediaType,
    // Some proxies would buffer the pushed parts.
    'x-accel-buffering': 'no',
  };
}

/** The end of a body that is written part by part. */
export function liveEnd({ form }: LiveBody, tookMs: number): string {
  return form === 'json' ? `,${closing(tookMs, [])}` : '';
}

/** A complete HTTP/1.1 reply as text, for input that could not be parsed as a request. */
export function rawFailure(name: ErrorName, hint: string): string {
  const { headers, payload } = failureReply({ failure: name, hint }, 0);
  const text = String(payload);
  const lines = Object.entries({
    ...headers,
    'content-length': String(Buffer.byteLength(text)),
    connection: 'close',
  });
  const head = lines.map(([key, value]) => `${key}: ${value}`).join('\r\n');
  return `HTTP/1.1 ${errors[name].status} ${errors[name].message}\r\n${head}\r\n\r\n${text}`;
}

/** The JSON of an object without its closing brace, ready for one more field. */
function opened(body: object): string {
  const text = JSON.stringify(body);
  return text === '{}' ? '{' : `${text.slice(0, -1)},`;
}

function closing(tookMs: number, ignored: readonly string[]): string {
  const took = `"took":${(tookMs / 1000).toFixed(6)}}`;
  return ignored.length === 0 ? took : `"ignored":${JSON.stringify(ignored)},${took}`;
}
