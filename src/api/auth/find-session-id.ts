// Finds the session id of a request: in a header, the query, the JSON body or a cookie. Existing clients use
// three names for the header. A cookie counts only if there is no other session id, because browsers send it
// with every request; only a cookie needs the CSRF token. Different ids in one request are an error, because
// the caller cannot have meant both.

import { csrfHeaders, sidHeaders } from '#contract';

export interface RequestHeaders {
  readonly [name: string]: string | string[] | undefined;
}

export type FoundSessionId =
  | { readonly way: 'none' }
  | { readonly way: 'conflict' }
  | { readonly way: 'plain'; readonly sid: string }
  | { readonly way: 'cookie'; readonly sid: string; readonly csrf: string | undefined };

/** Node.js passes names of headers in lower case. */
const sidNames = sidHeaders.map((name) => name.toLowerCase());
const csrfNames = csrfHeaders.map((name) => name.toLowerCase());

/** `bodySid` is the field `sid` of the JSON body, once the body has been read. */
export function findSessionId(
  headers: RequestHeaders,
  querySid: string | undefined,
  bodySid: string | undefined,
): FoundSessionId {
  const plain = explicitSessionId(headers, querySid, bodySid);
  if (plain === 'conflict') return { way: 'conflict' };
  if (plain !== undefined) return { way: 'plain', sid: plain.sid };
  const cookie = sidOfCookie(first(headers['cookie']));
  if (cookie === undefined) return { way: 'none' };
  return {
    way: 'cookie',
    sid: cookie,
    csrf: csrfNames.map((name) => first(headers[name])).find(isPresent),
  };
}

/** The one id in headers, query and body. This runs for every request, so it allocates very little. */
function explicitSessionId(
  headers: RequestHeaders,
  querySid: string | undefined,
  bodySid: string | undefined,
): { readonly sid: string } | 'conflict' | undefined {
  let sid = isPresent(querySid) ? querySid : undefined;
  if (isPresent(bodySid) && bodySid !== (sid ??= bodySid)) return 'conflict';
  for (const name of sidNames) {
    const carried = first(headers[name]);
    if (isPresent(carried) && carried !== (sid ??= carried)) return 'conflict';
  }
  return sid === undefined ? undefined : { sid };
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function isPresent(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

function sidOfCookie(header: string | undefined): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const [name, value] = pair.split('=', 2);
    if (name?.trim() === 'sid' && isPresent(value?.trim())) return value?.trim();
  }
  return undefined;
}
