// The errors for wrong requests (400), a part of the table in errors.ts. The specification fixes some
// messages word for word, and clients compare them.

export interface ApiErrorSpec {
  readonly status: number;
  readonly key: string;
  readonly message: string;
  /** When it occurs, for the documentation. */
  readonly when: string;
}

export const badRequests = {
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
    when: 'The body is not valid JSON, or not accepted by this endpoint; the hint says where and why.',
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
    when: 'The URL is not valid percent-encoded UTF-8, contains a NUL byte or is too long.',
  },
  invalidRequest: {
    status: 400,
    key: 'bad_request',
    message: 'Invalid HTTP request',
    when: 'The received bytes are not a valid HTTP request.',
  },
  plainOnTls: {
    status: 400,
    key: 'bad_request',
    message: 'Plain HTTP was sent to the HTTPS port',
    when: 'The request came unencrypted to a port of web.https; a GET gets a redirect in place of this.',
  },
  wrongApiPath: {
    status: 400,
    key: 'bad_request',
    message: 'Bad request',
    when: 'The request was sent to /admin/api; the hint has the address of the API.',
  },
  contradictingSids: {
    status: 400,
    key: 'bad_request',
    message: 'Contradicting session ids',
    when: 'Header, query and body contain different session ids.',
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
    when: 'The password is not a string.',
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
    when: 'Not a valid domain name; the hint has it, the reason, and what to write instead if that is known.',
  },
  invalidName: {
    status: 400,
    key: 'bad_request',
    message: 'Invalid request: Invalid domain name',
    when: 'The domain contains letters that cannot be converted to A-labels (IDN); the hint has it.',
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
    when: 'A domain, list address or client contains a blank or control character; the hint has it.',
  },
  noListType: {
    status: 400,
    key: 'bad_request',
    message: 'No "type" parameter in the query: it has to be allow or block',
    when: 'The query string does not name the type of the list.',
  },
  noAddress: {
    status: 400,
    key: 'bad_request',
    message: 'No "address" string in body data',
    when: 'The body has no usable address of a list.',
  },
  invalidAddress: {
    status: 400,
    key: 'bad_request',
    message: 'Invalid address of a list',
    when: 'Not a URL with https, http or file, too long, or with a masked password; the hint says which.',
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
    when: 'Not an address, range, MAC address, host name or `:interface`; the hint has it.',
  },
  noQueryDomain: {
    status: 400,
    key: 'bad_request',
    message: 'No "domain" parameter in the query',
    when: 'The query string has no name to explain.',
  },
  unknownType: {
    status: 400,
    key: 'bad_request',
    message: 'Unknown type of records',
    when: 'There is no record type with this name; the hint has it and what to write instead.',
  },
  noSearchTerm: {
    status: 400,
    key: 'bad_request',
    message: 'Invalid request: No search term provided',
    when: 'The path has no search term; the hint has the path.',
  },
  tooManyResults: {
    status: 400,
    key: 'bad_request',
    message: 'Invalid request: Requested too many results',
    when: 'N is above its limit; the hint has both numbers.',
  },
  unknownGroup: {
    status: 400,
    key: 'bad_request',
    message: 'Unknown group',
    when: 'There is no group with this id or name; the hint has it.',
  },
  invalidSchedule: {
    status: 400,
    key: 'bad_request',
    message: 'Invalid schedule',
    when: 'A window of a schedule is not valid; the hint names it and says what is allowed.',
  },
  invalidPause: {
    status: 400,
    key: 'bad_request',
    message: 'Invalid pause',
    when: 'The group or client of the pause, or its end, is not clear; the hint says why.',
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
    when: 'There is no secret to confirm: request one first.',
  },
  noGroupName: {
    status: 400,
    key: 'bad_request',
    message: 'No "name" string in body data',
    when: 'The body has no usable name.',
  },
  invalidGroupName: {
    status: 400,
    key: 'bad_request',
    message: 'Invalid name of a group',
    when: 'The name is `.`, `..` or blank, so no path or person could name the group; the hint has it.',
  },
  duplicate: {
    status: 400,
    key: 'database_error',
    message: 'Could not add to gravity database',
    when:
      'The entry exists already. The hint has `argument` and `enabled` as this request sent them ' +
      '(`enabled` is true if it was left out; it does not describe the stored entry), and `sql_msg`.',
  },
  halfPlace: {
    status: 400,
    key: 'bad_request',
    message: 'Specify both "type" and "kind" in body data, or neither',
    when: 'Only one of the two fields is given that say where the domain was; the hint names the other.',
  },
  notRemoved: {
    status: 400,
    key: 'database_error',
    message: 'Could not remove entries from table',
    when: 'The items to remove are not an array.',
  },
  collectionFull: {
    status: 400,
    key: 'bad_request',
    message: 'The collection is full',
    when: 'The collection has reached its limit.',
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
  invalidCursor: {
    status: 400,
    key: 'bad_request',
    message: 'Requested cursor is invalid',
    when: 'The cursor is not a number, or above the newest id; the hint says which.',
  },
  invalidQueryType: {
    status: 400,
    key: 'bad_request',
    message: 'Requested type is invalid',
    when: 'There is no such query type; the hint has what was sent.',
  },
  invalidQueryStatus: {
    status: 400,
    key: 'bad_request',
    message: 'Requested status is invalid',
    when: 'There is no such status; the hint has what was sent.',
  },
  invalidQueryReply: {
    status: 400,
    key: 'bad_request',
    message: 'Requested reply is invalid',
    when: 'There is no such kind of reply; the hint has what was sent.',
  },
  invalidQueryDnssec: {
    status: 400,
    key: 'bad_request',
    message: 'Requested dnssec is invalid',
    when: 'There is no such DNSSEC state; the hint has what was sent.',
  },
  noTimeRange: {
    status: 400,
    key: 'bad_request',
    message: 'You need to specify both "from" and "until" in the request.',
    when: 'The endpoint needs a time range and none was given.',
  },
  settingPinned: {
    status: 400,
    key: 'bad_request',
    message: 'Config items set via environment variables or the config file cannot be changed via the API',
    when: 'The environment or the file pins the setting; the hint names the key and the source.',
  },
  settingPathDepth: {
    status: 400,
    key: 'bad_request',
    message: 'Invalid path depth',
    when: 'The path does not name an item of an array; the hint has an example.',
  },
  settingItemRefused: {
    status: 400,
    key: 'bad_request',
    message: 'Invalid value',
    when: 'The item is not allowed in this array; the hint says why.',
  },
} as const satisfies Record<string, ApiErrorSpec>;
