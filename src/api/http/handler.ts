// The types that tie handlers to the table: one handler for every endpoint, given exactly the endpoint's
// input, giving only what the endpoint declares. A missing handler or an undeclared status does not compile.

import type { EndpointName, Endpoints, Input, Outcome } from '#contract';
import type { Caller } from '../auth/caller.ts';
import type { RequestFrom } from './request-from.ts';

export type Request<N extends EndpointName> = Input<Endpoints[N]> & RequestContext;

/** What a handler may know of a request beyond its input. */
export interface RequestContext {
  /** Nobody in particular on endpoints that are open to all. */
  readonly caller: Caller | undefined;
  /** Asked for by the few handlers that need it. */
  readonly from: () => RequestFrom;
  readonly ifMatch: string | undefined;
  /** Says when whoever asked has left; made for the few handlers that need it. */
  readonly gone?: () => AbortSignal;
}

type Handler<N extends EndpointName> = (
  request: Request<N>,
) => Outcome<Endpoints[N]> | Promise<Outcome<Endpoints[N]>>;

export type Handlers = { readonly [N in EndpointName]: Handler<N> };
