// The types that bind handlers to the table of endpoints: one handler for every endpoint, with the input and
// outcomes that the endpoint declares. A missing handler or an undeclared status does not compile.

import type { EndpointName, Endpoints, Input, Outcome } from '#contract';
import type { Caller } from '../auth/caller.ts';
import type { RequestFrom } from './request-from.ts';

export type Request<N extends EndpointName> = Input<Endpoints[N]> & RequestContext;

/** What a handler gets of a request besides its input. */
export interface RequestContext {
  /** Undefined for unauthenticated requests to endpoints that are open to all. */
  readonly caller: Caller | undefined;
  /** Computed on demand, because few handlers need it. */
  readonly from: () => RequestFrom;
  readonly ifMatch: string | undefined;
  /** Aborted when the client disconnects; created on demand, because few handlers need it. */
  readonly gone?: () => AbortSignal;
}

type Handler<N extends EndpointName> = (
  request: Request<N>,
) => Outcome<Endpoints[N]> | Promise<Outcome<Endpoints[N]>>;

export type Handlers = { readonly [N in EndpointName]: Handler<N> };
