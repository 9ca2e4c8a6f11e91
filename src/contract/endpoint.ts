// What an endpoint is. The tables in api/ declare each one with this type, and everything about HTTP follows
// from the declaration: routes, validation, handler types (a missing handler or an undeclared status does not
// compile), the OpenAPI document, the typed client. `took` and `ignored` are put into every JSON reply by the
// envelope and are therefore not repeated in the schemas here.

import type { Static, TObject, TSchema } from 'typebox';
import type { ErrorName, Failure } from './errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * `open`: anyone. `session`: whoever is logged in. `sudo`: credentials that may change how the service is
 * run.
 */
type Access = 'open' | 'session' | 'sudo';

export interface ReplySpec {
  readonly description: string;
  /** A JSON object; null: no body; a text: a body of that media type. */
  readonly body: TObject | null | string;
  /** Of a body that is no JSON: what else it may come as. */
  readonly otherTypes?: readonly string[];
  readonly example?: unknown;
  /** Written while the work goes on; lines of plain text instead when Accept prefers them. */
  readonly isLive?: true;
  /** Bytes as they come, for as long as both sides like; `body` is their media type. */
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
  /** No body at all counts as `{}`. */
  readonly optionalBody?: true;
  /** Bodies may be as large as a restore; never for callers that have not proved who they are. */
  readonly largeBody?: true;
  /**
   * Fields whose absence or wrong type has an error of its own instead of `invalidField`; of parameters in
   * the query their absence. `body` is the body as a whole.
   */
  readonly fieldErrors?: {
    readonly [field: string]: {
      readonly missing: ErrorName;
      readonly wrong: ErrorName;
      /** Of what is wrong; none without. */
      readonly hint?: string;
    };
  };
  readonly replies: { readonly [status: number]: ReplySpec };
  /** What this endpoint fails with beyond what every endpoint may (see `commonErrors`). */
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
 * A reply body that is JSON text already: the read model keeps collections so. The text lacks its closing
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
 * A body that is written part by part. As JSON the parts make an object without its closing brace, and each
 * ends where white space may follow. A failure in the middle is told by the last parts: none is thrown.
 */
export interface LiveBody {
  readonly form: 'json' | 'text';
  readonly parts: AsyncIterable<string>;
  /** Beyond the usual ones, or instead of them. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A body that goes on until somebody ends it. */
export interface PushedBody {
  readonly mediaType: string;
  /** Called once the head of the reply is written; never for HEAD, nor when the caller is gone. */
  readonly start: (target: PushTarget) => void;
}

/** Where such a body goes. Writing never waits: whoever writes looks at what is waiting. */
export interface PushTarget {
  readonly write: (bytes: Uint8Array) => void;
  /** Bytes that the other side has not taken yet. */
  readonly waitingBytes: () => number;
  /** The last bytes. Whoever does not take them soon is cut. */
  readonly end: (bytes: Uint8Array) => void;
  /** Told once when there is nobody any more. */
  readonly onGone: (listener: () => void) => void;
}

/** A body that is no JSON: bytes with their media type. */
interface ReplyStream {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

interface Extras {
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Names in the body that were understood by nobody, beyond the top-level ones that the envelope finds
   * itself.
   */
  readonly ignored?: readonly string[];
}

type Success<E extends Endpoint> = {
  [S in keyof E['replies'] & number]: { readonly status: S } & BodyOf<E['replies'][S]> & Extras;
}[keyof E['replies'] & number];

/** What any write may meet, so that no endpoint has to declare it. */
export type WriteFailure = 'databaseAway' | 'tooManyRequests';

/** What a handler may say: a declared reply, a declared error, or that the database cannot be written. */
export type Outcome<E extends Endpoint> = Success<E> | Failure<E['errors'][number] | WriteFailure>;

/** Keeps the exact types of a declaration while checking it. */
export function endpoint<const E extends Endpoint>(declaration: E): E {
  return declaration;
}

/** What may happen at any endpoint, by what it takes. */
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
    'unavailable',
  ];
}
