// The type of an endpoint's declaration. The tables in api/ declare each endpoint with it, and everything
// about HTTP follows from the declaration: routes, validation, handler types (a missing handler or an
// undeclared status does not compile), the OpenAPI document, the typed client. The envelope adds `took` and
// `ignored` to every JSON reply, so the schemas do not repeat them.

import type { Static, TObject, TSchema } from 'typebox';
import type { ErrorName, Failure } from './errors/errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * `open`: no credential. `session`: any login. `sudo`: credentials that may change settings and credentials.
 */
type Access = 'open' | 'session' | 'sudo';

export interface ReplySpec {
  readonly description: string;
  /** A JSON object; null: no body; a string: a body of that media type. */
  readonly body: TObject | null | string;
  /** Alternative media types of a body that is not JSON. */
  readonly otherTypes?: readonly string[];
  readonly example?: unknown;
  /** Written while the work is in progress; as lines of plain text if Accept prefers them. */
  readonly isLive?: true;
  /** An endless stream of bytes until one side closes it; `body` is its media type. */
  readonly isPushed?: true;
}

export interface Endpoint {
  readonly method: Method;
  /** `{name}` stands for one segment; `{name...}` for the rest of the path. */
  readonly path: string;
  readonly topic: Topic;
  readonly access: Access;
  readonly summary: string;
  readonly description?: string;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  readonly bodyExample?: unknown;
  /** A missing body counts as `{}`. */
  readonly optionalBody?: true;
  /** The reply has an entity tag: a client that sends it in If-None-Match gets 304. */
  readonly hasTag?: true;
  /** Bodies may be as large as a restore, but not for callers without a credential. */
  readonly largeBody?: true;
  /**
   * Fields with their own error instead of `invalidField` when they are missing or have the wrong type; for
   * query parameters, when they are missing. `body` is the body as a whole.
   */
  readonly fieldErrors?: {
    readonly [field: string]: {
      readonly missing: ErrorName;
      readonly wrong: ErrorName;
      /** The hint of the error; none by default. */
      readonly hint?: string;
    };
  };
  readonly replies: { readonly [status: number]: ReplySpec };
  /** The errors of this endpoint, in addition to those of every endpoint (see `commonErrors`). */
  readonly errors: readonly ErrorName[];
}

type Topic =
  | 'authentication'
  | 'service'
  | 'information'
  | 'configuration'
  | 'groups'
  | 'domains'
  | 'lists'
  | 'clients'
  | 'dns'
  | 'statistics'
  | 'queries'
  | 'revisions';

/**
 * A reply body that is already JSON text, as the read model keeps collections. The text lacks its closing
 * brace.
 */
export interface SerialisedBody {
  readonly openJson: string;
}

type Params<E extends Endpoint> = E['params'] extends TObject ? Static<E['params']> : Record<never, never>;
type Query<E extends Endpoint> = E['query'] extends TObject ? Static<E['query']> : Record<never, never>;
type Body<E extends Endpoint> = E['body'] extends TSchema ? Static<E['body']> : undefined;

export interface Input<E extends Endpoint> {
  readonly params: Params<E>;
  readonly query: Query<E>;
  readonly body: Body<E>;
}

type BodyOf<R extends ReplySpec> = R['isLive'] extends true
  ? { readonly live: LiveBody }
  : R['isPushed'] extends true
    ? { readonly pushed: PushedBody }
    : R['body'] extends TObject
      ? { readonly body: Static<R['body']> | SerialisedBody }
      : R['body'] extends string
        ? { readonly stream: ReplyStream }
        : { readonly body?: undefined };

/**
 * A body that is written in parts. As JSON the parts form an object without its closing brace, and each part
 * ends where white space may follow. A failure in the middle is reported in the last part and never thrown.
 */
export interface LiveBody {
  readonly form: 'json' | 'text';
  readonly parts: AsyncIterable<string>;
  /** Added to the usual headers, or replacing them. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A body that continues until either side ends it. */
export interface PushedBody {
  readonly mediaType: string;
  /** Called when the head of the reply is written; never for HEAD or after the client has disconnected. */
  readonly start: (target: PushTarget) => void;
}

/** The target of such a body. Writing never waits: the writer checks `waitingBytes`. */
export interface PushTarget {
  readonly write: (bytes: Uint8Array) => void;
  /** Bytes that the client has not received yet. */
  readonly waitingBytes: () => number;
  /** Writes the last bytes. A client that does not receive them soon is disconnected. */
  readonly end: (bytes: Uint8Array) => void;
  /** Called once when the client has disconnected. */
  readonly onGone: (listener: () => void) => void;
}

/** A body that is not JSON: bytes with their media type. */
interface ReplyStream {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

interface Extras {
  readonly headers?: Readonly<Record<string, string>>;
  /** The values of Set-Cookie; by default the cookie of the session is renewed. */
  readonly cookies?: readonly string[];
  /**
   * Unknown names in the body, in addition to the top-level ones, which the envelope finds itself.
   */
  readonly ignored?: readonly string[];
}

type Success<E extends Endpoint> = {
  [S in keyof E['replies'] & number]: { readonly status: S } & BodyOf<E['replies'][S]> & Extras;
}[keyof E['replies'] & number];

/** Failures of any write, which no endpoint has to declare. */
export type WriteFailure = 'databaseAway' | 'tooManyRequests';

/** The result of a handler: a declared reply, a declared error, or a failed write. */
export type Outcome<E extends Endpoint> = Success<E> | Failure<E['errors'][number] | WriteFailure>;

/** Keeps the exact types of a declaration while checking it. */
export function endpoint<const E extends Endpoint>(declaration: E): E {
  return declaration;
}

/** Errors of every endpoint, depending on its inputs. */
export function commonErrors(declared: Endpoint): readonly ErrorName[] {
  return [
    ...(declared.body === undefined ? [] : (['noBody', 'invalidBody', 'invalidField'] as const)),
    ...(declared.params === undefined && declared.query === undefined ? [] : (['invalidParameter'] as const)),
    ...(declared.access === 'open' ? [] : (['unauthorized'] as const)),
    ...(declared.access === 'sudo' ? (['forbidden'] as const) : []),
    'contradictingSids',
    ...(declared.method === 'GET' ? [] : (['databaseAway'] as const)),
    'invalidUrl',
    'invalidRequest',
    'requestTimeout',
    'headersTooLarge',
    'foreignOrigin',
    'bodyTooLarge',
    'misdirected',
    'tooManyRequests',
    'internal',
    'databaseFailed',
    'unavailable',
  ];
}
