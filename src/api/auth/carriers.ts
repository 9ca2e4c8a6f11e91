// Where a request carries its session id: header, query, JSON body or cookie. Existing clients spell the
// header in three ways. A cookie counts only where nothing else carries an id, because cookie jars send it
// along unasked; and it alone needs the CSRF token. Ids that disagree are an error: one of them is not what
// the caller meant.

export interface CarriedHeaders {
  readonly [name: string]: string | string[] | undefined;
}

export type Carried =
  | { readonly way: 'none' }
  | { readonly way: 'conflict' }
  | { readonly way: 'plain'; readonly sid: string }
  | { readonly way: 'cookie'; readonly sid: string; readonly csrf: string | undefined };

const sidHeaders = ['x-svc-sid', 'x-ftl-sid', 'sid'];
const csrfHeaders = ['x-svc-csrf', 'x-ftl-csrf', 'x-csrf-token'];

/** `bodySid` is what the JSON body has under `sid`, once it is read. */
export const carriedBy = (
  headers: CarriedHeaders,
  querySid: string | undefined,
  bodySid: string | undefined,
): Carried => {
  const plain = agreed(headers, querySid, bodySid);
  if (plain === 'conflict') return { way: 'conflict' };
  if (plain !== undefined) return { way: 'plain', sid: plain.sid };
  const cookie = sidOfCookie(first(headers['cookie']));
  if (cookie === undefined) return { way: 'none' };
  return { way: 'cookie', sid: cookie, csrf: csrfHeaders.map((name) => first(headers[name])).find(isGiven) };
};

/** The one id that header, query and body carry. Every request passes here, so nothing is made on the way. */
const agreed = (
  headers: CarriedHeaders,
  querySid: string | undefined,
  bodySid: string | undefined,
): { readonly sid: string } | 'conflict' | undefined => {
  let sid = isGiven(querySid) ? querySid : undefined;
  if (isGiven(bodySid) && bodySid !== (sid ??= bodySid)) return 'conflict';
  for (const name of sidHeaders) {
    const carried = first(headers[name]);
    if (isGiven(carried) && carried !== (sid ??= carried)) return 'conflict';
  }
  return sid === undefined ? undefined : { sid };
};

const first = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

const isGiven = (text: string | undefined): text is string => text !== undefined && text !== '';

const sidOfCookie = (header: string | undefined): string | undefined => {
  for (const pair of header?.split(';') ?? []) {
    const [name, value] = pair.split('=', 2);
    if (name?.trim() === 'sid' && isGiven(value?.trim())) return value?.trim();
  }
  return undefined;
};
