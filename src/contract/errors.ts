// Every error that the API answers with. A handler names one of these; status, key and message come from
// here, so that two places never word the same failure differently. Some messages are fixed word for word by
// the specification, and clients compare them: a change here is a change of the API.

export interface ApiErrorSpec {
  readonly status: number;
  readonly key: string;
  readonly message: string;
  /** When it happens, for the documentation. */
  readonly when: string;
}

export const errors = {
  noBody: {
    status: 400,
    key: 'bad_request',
    message: 'No request body data',
    when: 'The endpoint needs a body and none was sent.',
  },
  invalidBody: {
    status: 400,
    key: 'bad_request',
    message: 'Invalid request body data',
    when: 'The body is not valid JSON, or not one that is accepted here; the hint says where and why.',
  },
  invalidField: {
    status: 400,
    key: 'bad_request',
    message: 'Invalid field in request body data',
    when: 'A known field has the wrong type or a value that is not allowed; the hint names it.',
  },
  invalidParameter: {
    status: 400,
    key: 'bad_request',
    message: 'Invalid parameter',
    when: 'A parameter of the path or the query has a value that is not allowed; the hint names it.',
  },
  invalidUrl: {
    status: 400,
    key: 'bad_request',
    message: 'Invalid URL',
    when: 'The URL is not correctly percent-encoded UTF-8, holds a NUL byte or is too long.',
  },
  invalidRequest: {
    status: 400,
    key: 'bad_request',
    message: 'Invalid HTTP request',
    when: 'What arrived is not a correct HTTP request.',
  },
  wrongApiPath: {
    status: 400,
    key: 'bad_request',
    message: 'Bad request',
    when: 'The API was looked for under /admin/api; the hint says where it is.',
  },
  contradictingSids: {
    status: 400,
    key: 'bad_request',
    message: 'Contradicting session ids',
    when: 'Header, query and body carry different session ids.',
  },
  noPassword: {
    status: 400,
    key: 'bad_request',
    message: 'No password found in JSON payload',
    when: 'The body has no password.',
  },
  passwordType: {
    status: 400,
    key: 'bad_request',
    message: "Field password has to be of type 'string'",
    when: 'The password is not a text.',
  },
  noTotp: {
    status: 400,
    key: 'bad_request',
    message: 'No 2FA token found in JSON payload',
    when: 'Two-factor authentication is on and the body has no token.',
  },
  noBlocking: {
    status: 400,
    key: 'body_error',
    message: 'No "blocking" boolean in body data',
    when: 'The body does not say whether to block.',
  },
  noDomain: {
    status: 400,
    key: 'bad_request',
    message: 'No "domain" string in body data',
    when: 'The body has no usable domain.',
  },
  invalidDomain: {
    status: 400,
    key: 'bad_request',
    message: 'Invalid domain',
    when: 'The domain cannot be one; the hint has it, says why, and what to write instead where that is known.',
  },
  invalidName: {
    status: 400,
    key: 'bad_request',
    message: 'Invalid request: Invalid domain name',
    when: 'The domain has letters that cannot be written as A-labels (IDN); the hint has it.',
  },
  invalidRegex: {
    status: 400,
    key: 'regex_error',
    message: 'Regex validation failed',
    when: 'The regular expression does not compile; the hint says why, and at which character.',
  },
  blanks: {
    status: 400,
    key: 'bad_request',
    message: 'Spaces, newlines and tabs are not allowed in domains and URLs',
    when: 'A domain, the address of a list or a client holds a blank or a control character; the hint has it.',
  },
  noListType: {
    status: 400,
    key: 'bad_request',
    message: 'No "type" parameter in the query: it has to be allow or block',
    when: 'The query does not say which type of list is meant.',
  },
  noAddress: {
    status: 400,
    key: 'bad_request',
    message: 'No "address" string in body data',
    when: 'The body has no usable address of a list.',
  },
  noClient: {
    status: 400,
    key: 'bad_request',
    message: 'No "client" string in body data',
    when: 'The body has no usable client.',
  },
  invalidClient: {
    status: 400,
    key: 'bad_request',
    message: 'Invalid client',
    when: 'It is no address, range, MAC address, host name or `:interface`; the hint has it.',
  },
  noSearchTerm: {
    status: 400,
    key: 'bad_request',
    message: 'Invalid request: No search term provided',
    when: 'The path has nothing to search for; the hint has it.',
  },
  tooManyResults: {
    status: 400,
    key: 'bad_request',
    message: 'Invalid request: Requested too many results',
    when: 'N is larger than it may be; the hint has both numbers.',
  },
  invalidSearchTerm: {
    status: 400,
    key: 'bad_request',
    message: 'Invalid request: Invalid domain name',
    when: 'What is searched for cannot be part of a domain name; the hint says why.',
  },
  unknownGroup: {
    status: 400,
    key: 'bad_request',
    message: 'Unknown group',
    when: 'There is no group of this id; the hint has it.',
  },
  invalidSchedule: {
    status: 400,
    key: 'bad_request',
    message: 'Invalid schedule',
    when: 'A window of a schedule cannot be one; the hint names it and says what is allowed.',
  },
  invalidPause: {
    status: 400,
    key: 'bad_request',
    message: 'Invalid pause',
    when: 'It is not clear whom to pause for, or until when; the hint says why.',
  },
  invalidPatch: {
    status: 400,
    key: 'bad_request',
    message: 'Invalid patch',
    when: 'The patch cannot be applied; the hint says which operation and why.',
  },
  noTotpSetup: {
    status: 400,
    key: 'bad_request',
    message: 'No two-factor setup is waiting',
    when: 'There is no secret to confirm: ask for one first.',
  },
  noGroupName: {
    status: 400,
    key: 'bad_request',
    message: 'No "name" string in body data',
    when: 'The body has no usable name.',
  },
  duplicate: {
    status: 400,
    key: 'database_error',
    message: 'Could not add to gravity database',
    when: 'There is such an entry already; the hint has its argument, whether it is enabled, and the reason.',
  },
  collectionFull: {
    status: 400,
    key: 'bad_request',
    message: 'The collection is full',
    when: 'The collection holds as many entries as it may.',
  },
  noConfigObject: {
    status: 400,
    key: 'body_error',
    message: 'No "config" object in body data',
    when: 'The body has no config object.',
  },
  settingInvalid: {
    status: 400,
    key: 'bad_request',
    message: 'Config item is invalid',
    when: 'A value of the configuration has the wrong type; the hint names the key and the reason.',
  },
  settingRefused: {
    status: 400,
    key: 'bad_request',
    message: 'Config item validation failed',
    when: 'A value of the configuration is not allowed; the hint names the key and what is allowed.',
  },
  settingPinned: {
    status: 400,
    key: 'bad_request',
    message: 'Config items set via environment variables or the config file cannot be changed via the API',
    when: 'The environment or the file pins the setting; the hint names the key and the source.',
  },
  settingItemPresent: {
    status: 400,
    key: 'bad_request',
    message: 'Item already present',
    when: 'The array has this item already.',
  },
  settingPathDepth: {
    status: 400,
    key: 'bad_request',
    message: 'Invalid path depth',
    when: 'The path names no item of an array; the hint has an example.',
  },
  settingItemRefused: {
    status: 400,
    key: 'bad_request',
    message: 'Invalid value',
    when: 'The item is not allowed in this array; the hint says why.',
  },
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
    when: 'What it changed has changed again since, or its secret is not kept; the hint says which.',
  },
  requestFailed: {
    status: 402,
    key: 'request_failed',
    message: 'Request failed',
    when: 'The parameters are valid, but something outside of the service failed; the hint says what.',
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
    when: 'A browser sent this on behalf of another web page that web.origins does not allow.',
  },
  totpIsOn: {
    status: 403,
    key: 'forbidden',
    message: 'Two-factor authentication is on already',
    when: 'It has to be switched off before a new secret can be made.',
  },
  defaultGroup: {
    status: 403,
    key: 'forbidden',
    message: 'The default group cannot be deleted',
    when: 'Group 0 was to be deleted.',
  },
  notFound: { status: 404, key: 'not_found', message: 'Not found', when: 'There is nothing at this path.' },
  methodNotAllowed: {
    status: 405,
    key: 'method_not_allowed',
    message: 'Method not allowed',
    when: 'The path is known, but not with this method; the header Allow lists those it has.',
  },
  requestTimeout: {
    status: 408,
    key: 'request_timeout',
    message: 'Request timeout',
    when: 'The request did not arrive whole in time.',
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
    when: 'The item is not what If-Match says; read it again.',
  },
  misdirected: {
    status: 421,
    key: 'misdirected_request',
    message: 'Unknown host name',
    when: 'The Host header names a host that is not ours; the hint says which setting allows it.',
  },
  tooManyRequests: {
    status: 429,
    key: 'rate_limiting',
    message: 'Too many requests',
    when: 'More than the service can take; the header Retry-After says when to try again.',
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
    when: 'As many sessions as there may be are in use; the hint names the setting.',
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
    when: 'A fault of the service; the hint has the id under which its log tells more.',
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
  databaseAway: {
    status: 503,
    key: 'database_error',
    message: 'The database is not available',
    when: 'The database cannot be written at the moment; reading goes on.',
  },
  listsNotCompiled: {
    status: 500,
    key: 'server_error',
    message: 'Gravity failed',
    when: 'The lists could not be compiled, so that what was in force stays; the hint says why.',
  },
  restartFailed: {
    status: 503,
    key: 'restart_failed',
    message: 'The service could not be restarted',
    when: 'The new process did not come up, or a restart is under way; the hint says why.',
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

/** A handler's way to say no: data, not an exception. */
export interface Failure<N extends ErrorName = ErrorName> {
  readonly failure: N;
  readonly hint: Hint;
  /** Fields beside `error` in the reply. */
  readonly beside?: { readonly [field: string]: unknown };
  readonly headers?: Readonly<Record<string, string>>;
}

export const fail = <N extends ErrorName>(
  failure: N,
  hint: Hint = null,
  more: Pick<Failure, 'beside' | 'headers'> = {},
): Failure<N> => ({ failure, hint, ...more });
