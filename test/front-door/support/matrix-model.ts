// The authentication matrix: its axes, and a small model of the status that each cell must get. The model is
// written from the documentation and shares no code with the service: the credentials of the request and the
// state of their session decide who the caller is, and the caller decides the status.

export type State = {
  readonly name: string;
  readonly sid: string;
  readonly csrf: string;
  /** The right of a request with this session from this client's address. */
  readonly right: 'none' | 'session' | 'sudo';
};

/** The credentials of a request, before they are encoded as headers, query or body. */
export type Carried = {
  readonly headers: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: string;
  readonly cookie?: string;
  readonly csrf?: string;
};

export type Way = { readonly name: string; readonly carry: (state: State) => Carried };

export type Target = {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly access: 'open' | 'session' | 'sudo' | 'who am I';
  /** The status for a caller with the needed right. */
  readonly status: number;
};

export type Place = {
  /** Every request has all rights there: the control socket, or a service without a password. */
  readonly isOpenToAll: boolean;
};

export const unknownSid = 'u'.repeat(43);

export const ways: readonly Way[] = [
  { name: 'nothing', carry: () => ({ headers: {} }) },
  { name: 'X-SVC-SID', carry: ({ sid }) => ({ headers: { 'X-SVC-SID': sid } }) },
  { name: 'X-FTL-SID', carry: ({ sid }) => ({ headers: { 'X-FTL-SID': sid } }) },
  { name: 'sid header', carry: ({ sid }) => ({ headers: { sid } }) },
  { name: 'query', carry: ({ sid }) => ({ headers: {}, query: sid }) },
  { name: 'body', carry: ({ sid }) => ({ headers: {}, body: sid }) },
  { name: 'cookie with CSRF', carry: ({ sid, csrf }) => ({ headers: {}, cookie: sid, csrf }) },
  { name: 'cookie without CSRF', carry: ({ sid }) => ({ headers: {}, cookie: sid }) },
  { name: 'cookie with a wrong CSRF', carry: ({ sid }) => ({ headers: {}, cookie: sid, csrf: 'wrong' }) },
  {
    name: 'header and a stale cookie',
    carry: ({ sid }) => ({ headers: { 'X-SVC-SID': sid }, cookie: unknownSid }),
  },
  {
    name: 'stale header and a good cookie',
    carry: ({ sid, csrf }) => ({ headers: { 'X-SVC-SID': unknownSid }, cookie: sid, csrf }),
  },
  {
    name: 'header, query and body that agree',
    carry: ({ sid }) => ({ headers: { 'X-SVC-SID': sid }, query: sid, body: sid }),
  },
  {
    name: 'header and query that disagree',
    carry: ({ sid }) => ({ headers: { 'X-SVC-SID': sid }, query: `${unknownSid}2` }),
  },
  {
    name: 'query and body that disagree',
    carry: ({ sid }) => ({ headers: {}, query: `${unknownSid}3`, body: sid }),
  },
];

export const targets: readonly Target[] = [
  { name: 'open GET', method: 'GET', path: '/api/health', access: 'open', status: 200 },
  // The body has no password: 400.
  { name: 'open POST', method: 'POST', path: '/api/auth', body: {}, access: 'open', status: 400 },
  { name: 'who am I', method: 'GET', path: '/api/auth', access: 'who am I', status: 200 },
  { name: 'session GET', method: 'GET', path: '/api/groups', access: 'session', status: 200 },
  {
    name: 'session POST',
    method: 'POST',
    path: '/api/dns/blocking',
    body: { blocking: 'maybe' },
    access: 'session',
    status: 400,
  },
  { name: 'session DELETE', method: 'DELETE', path: '/api/groups/absent', access: 'session', status: 404 },
  {
    name: 'sudo PATCH',
    method: 'PATCH',
    path: '/api/config',
    body: { config: {} },
    access: 'sudo',
    status: 200,
  },
  { name: 'sudo POST', method: 'POST', path: '/api/revisions/999999:undo', access: 'sudo', status: 404 },
  { name: 'sudo DELETE', method: 'DELETE', path: '/api/auth/app/999999', access: 'sudo', status: 404 },
  { name: 'others', method: 'DELETE', path: '/api/auth/session/999999', access: 'sudo', status: 404 },
];

/** The caller by the rules: none, authenticated, a cookie without its CSRF token, or two session ids. */
const callerOf = (
  carried: Carried,
  state: State,
): 'none' | 'authenticated' | 'no CSRF token' | 'contradiction' => {
  const sids = [...Object.values(carried.headers), carried.query ?? '', carried.body ?? ''];
  const given = new Set(sids.filter((sid) => sid !== ''));
  if (given.size > 1) return 'contradiction';
  const isKnown = (sid: string | undefined): boolean => sid === state.sid && state.right !== 'none';
  if (given.size === 1) return isKnown([...given][0]) ? 'authenticated' : 'none';
  if (!isKnown(carried.cookie)) return 'none';
  return carried.csrf === state.csrf ? 'authenticated' : 'no CSRF token';
};

export const expectedStatus = (place: Place, way: Way, state: State, target: Target): number => {
  if (place.isOpenToAll) return target.status;
  const caller = callerOf(way.carry(state), state);
  if (caller === 'contradiction') return 400;
  if (target.access === 'open') return target.status;
  if (target.access === 'who am I') return caller === 'none' ? 401 : target.status;
  if (caller !== 'authenticated') return 401;
  return target.access === 'sudo' && state.right !== 'sudo' ? 403 : target.status;
};
