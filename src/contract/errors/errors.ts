// Every error that the API returns. A handler names one of these; status, key and message come from here, so
// that the same failure always has the same text. The specification fixes some messages word for word, and
// clients compare them: a change here is a change of the API.

import { badRequests, type ApiErrorSpec } from './bad-request.ts';

export const errors = {
  ...badRequests,
  unauthorized: {
    status: 401,
    key: 'unauthorized',
    message: 'Unauthorized',
    when: 'No valid credential was supplied.',
  },
  invalidTotp: {
    status: 401,
    key: 'unauthorized',
    message: 'Invalid 2FA token',
    when: 'The token is wrong.',
  },
  reusedTotp: {
    status: 401,
    key: 'unauthorized',
    message: 'Reused 2FA token',
    when: 'The token was used before; wait for the next one.',
  },
  notUndoable: {
    status: 402,
    key: 'request_failed',
    message: 'This change cannot be undone',
    when: 'The entity has changed again since, or its secret is not stored; the hint says which.',
  },
  requestFailed: {
    status: 402,
    key: 'request_failed',
    message: 'Request failed',
    when: 'The parameters are valid, but something outside the service failed; the hint says what.',
  },
  forbidden: {
    status: 403,
    key: 'forbidden',
    message: 'Forbidden',
    when: 'The credential does not permit this.',
  },
  foreignOrigin: {
    status: 403,
    key: 'forbidden',
    message: 'Requests from other web pages are not allowed',
    when: 'A browser sent this for another web page that web.origins does not allow.',
  },
  totpIsOn: {
    status: 403,
    key: 'forbidden',
    message: 'Two-factor authentication is on already',
    when: 'It has to be switched off before a new secret can be created.',
  },
  defaultGroup: {
    status: 403,
    key: 'forbidden',
    message: 'The default group cannot be deleted',
    when: 'The request would delete group 0.',
  },
  notFound: { status: 404, key: 'not_found', message: 'Not found', when: 'There is nothing at this path.' },
  methodNotAllowed: {
    status: 405,
    key: 'method_not_allowed',
    message: 'Method not allowed',
    when: 'The path exists, but not with this method; the header Allow lists its methods.',
  },
  requestTimeout: {
    status: 408,
    key: 'request_timeout',
    message: 'Request timeout',
    when: 'The request did not arrive completely in time.',
  },
  ambiguousList: {
    status: 409,
    key: 'conflict',
    message: 'Several lists have this address',
    when: 'The address matches lists that differ only in user or password; the hint has number and ids.',
  },
  bodyTooLarge: {
    status: 413,
    key: 'payload_too_large',
    message: 'Request body is too large',
    when: 'The body is larger than this caller may send; the hint has the limit in bytes.',
  },
  preconditionFailed: {
    status: 412,
    key: 'precondition_failed',
    message: 'The item has changed',
    when: 'The item does not match If-Match; read it again.',
  },
  misdirected: {
    status: 421,
    key: 'misdirected_request',
    message: 'Unknown host name',
    when: 'The Host header names an unknown host; the hint says which setting allows it.',
  },
  tooManyRequests: {
    status: 429,
    key: 'rate_limiting',
    message: 'Too many requests',
    when: 'The service is overloaded; the header Retry-After says when to try again.',
  },
  loginRate: {
    status: 429,
    key: 'rate_limiting',
    message: 'Rate-limiting login attempts',
    when: 'Too many failed logins in a second, or too many at once.',
  },
  seatsExceeded: {
    status: 429,
    key: 'api_seats_exceeded',
    message: 'API seats exceeded',
    when: 'The limit of sessions is reached; the hint names the setting.',
  },
  headersTooLarge: {
    status: 431,
    key: 'headers_too_large',
    message: 'Request headers are too large',
    when: 'Request line and headers are larger than allowed.',
  },
  internal: {
    status: 500,
    key: 'internal_error',
    message: 'Internal server error',
    when: 'A fault of the service; the hint has the id under which the log has details.',
  },
  domainsUnreadable: {
    status: 500,
    key: 'database_error',
    message: 'Could not read domains from database table',
    when: 'The domains could not be read when the service started.',
  },
  collectionUnreadable: {
    status: 500,
    key: 'database_error',
    message: 'Could not read from gravity database',
    when: 'The lists or the clients could not be read when the service started; the hint says why.',
  },
  databaseFailed: {
    status: 500,
    key: 'database_error',
    message: 'Could not access the database',
    when: 'The database refused a statement; the hint has its reason, and the id of the entry in the log.',
  },
  databaseAway: {
    status: 503,
    key: 'database_error',
    message: 'The database is not available',
    when: 'The database cannot be written at the moment; reads still work.',
  },
  dnsUnanswered: {
    status: 503,
    key: 'unavailable',
    message: 'No DNS listener answers',
    when: 'dns.listen names addresses, but queries are answered on none of them; the hint says why.',
  },
  historyAway: {
    status: 503,
    key: 'database_error',
    message: 'The history is not available',
    when: 'The history cannot be read at the moment; the hint says why.',
  },
  listsNotCompiled: {
    status: 500,
    key: 'server_error',
    message: 'Gravity failed',
    when: 'The lists could not be compiled, so the previous ones stay in force; the hint says why.',
  },
  restartFailed: {
    status: 503,
    key: 'restart_failed',
    message: 'The service could not be restarted',
    when: 'The new process did not start, or a restart is in progress; the hint says why.',
  },
  unavailable: {
    status: 503,
    key: 'unavailable',
    message: 'The service is not available',
    when: 'The service is starting, stopping or being restarted.',
  },
} as const satisfies Record<string, ApiErrorSpec>;

export type ErrorName = keyof typeof errors;
export type Hint = string | null | { readonly [field: string]: unknown };

/** A handler's failure: data, not an exception. */
export interface Failure<N extends ErrorName = ErrorName> {
  readonly failure: N;
  readonly hint: Hint;
  /** Further fields of the reply, next to `error`. */
  readonly beside?: { readonly [field: string]: unknown };
  readonly headers?: Readonly<Record<string, string>>;
}

export function fail<N extends ErrorName>(
  failure: N,
  hint: Hint = null,
  more: Pick<Failure, 'beside' | 'headers'> = {},
): Failure<N> {
  return { failure, hint, ...more };
}
