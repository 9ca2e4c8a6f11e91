// A typed client of the API, for the command line and the web interface. The transport is passed in (a Unix
// socket or `fetch`), so this file knows endpoints and nothing about networks. At run time it needs only
// methods and paths; requests and replies are types.

import type { Static, TObject } from 'typebox';
import type { EndpointName, Endpoints } from '../api/table.ts';
import type { Endpoint, Input, Method } from '../endpoint.ts';
import { routes } from './routes.ts';

export interface ClientRequest {
  readonly method: Method;
  readonly path: string;
  readonly body?: unknown;
  /** Called with each part of the reply as it arrives. */
  readonly onText?: (text: string) => void;
}

export interface ClientReply {
  readonly status: number;
  readonly body: unknown;
}

export type Transport = (request: ClientRequest) => Promise<ClientReply>;

type JsonReply<E extends Endpoint> = {
  [S in keyof E['replies'] & number]: E['replies'][S]['body'] extends TObject
    ? { readonly ok: true; readonly status: S; readonly body: Static<E['replies'][S]['body']> }
    : { readonly ok: true; readonly status: S; readonly body: undefined };
}[keyof E['replies'] & number];

/** The fields of one endpoint's JSON reply, without the envelope's. */
export type ReplyBody<
  N extends EndpointName,
  S extends keyof Endpoints[N]['replies'] & number,
> = Endpoints[N]['replies'][S] extends { readonly body: infer B extends TObject } ? Static<B> : never;

export interface CallFailed {
  readonly ok: false;
  readonly status: number;
  readonly message: string;
  readonly hint: unknown;
}

type LooseInput<E extends Endpoint> = Partial<Input<E>>;

export function createClient(send: Transport) {
  return async <N extends EndpointName>(
    name: N,
    input: LooseInput<Endpoints[N]> = {},
    follow: Pick<ClientRequest, 'onText'> = {},
  ): Promise<JsonReply<Endpoints[N]> | CallFailed> => {
    const route = routes[name];
    const path = buildPath(route.path, input.params ?? {}, input.query ?? {});
    const request = { method: route.method, path, ...follow };
    const reply = await send(input.body === undefined ? request : { ...request, body: input.body });
    if (!route.statuses.includes(reply.status)) return failed(reply);
    // The status was declared for this endpoint, and the server checks its replies against the same
    // declaration.
    return { ok: true, status: reply.status, body: reply.body } as unknown as JsonReply<Endpoints[N]>;
  };
}

function buildPath(pattern: string, params: object, query: object): string {
  const values = new Map<string, unknown>(Object.entries(params));
  const path = pattern.replaceAll(/\{(\w+)(\.\.\.)?\}/g, (_, name: string) =>
    encodeURIComponent(String(values.get(name) ?? '')),
  );
  const pairs = Object.entries(query).map(
    ([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(String(value))}`,
  );
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

function failed(reply: ClientReply): CallFailed {
  // The reply may come from another program, so every field is checked.
  const error = (reply.body as { error?: { message?: unknown; hint?: unknown } } | undefined)?.error;
  const message = typeof error?.message === 'string' ? error.message : `the reply has status ${reply.status}`;
  return { ok: false, status: reply.status, message, hint: error?.hint ?? null };
}
