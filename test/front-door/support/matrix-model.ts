// The authentication matrix: its axes, and a small model that says what each of its cells must answer. The
// model is written from the documentation and knows nothing of the service: who asks follows from what the
// request carries and from the state of that session, and the status follows from who asks.

export type State = {
  readonly name: string;
  readonly sid: string;
  readonly csrf: string;
  /** Whether a request that carries it, from where this client is, is somebody's; and what they may. */
  readonly right: 'nobody' | 'session' | 'sudo';
};

/** What a request carries, before it is put into headers. */
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
  /** What it answers to whoever may ask. */
  readonly status: number;
};

export type Place = {
  /** Everything may be done there: the control socket, or a service without a password. */
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
  // No password in it: whoever asks is told so.
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

/** Who asks, by the rules: nobody, somebody, somebody who did not prove to mean it, or a contradiction. */
const whoAsks = (carried: Carried, state: State): 'nobody' | 'somebody' | 'unmeant' | 'contradiction' => {
  const sids = [...Object.values(carried.headers), carried.query ?? '', carried.body ?? ''];
  const given = new Set(sids.filter((sid) => sid !== ''));
  if (given.size > 1) return 'contradiction';
  const isKnown = (sid: string | undefined): boolean => sid === state.sid && state.right !== 'nobody';
  if (given.size === 1) return isKnown([...given][0]) ? 'somebody' : 'nobody';
  if (!isKnown(carried.cookie)) return 'nobody';
  return carried.csrf === state.csrf ? 'somebody' : 'unmeant';
};

export const expectedStatus = (place: Place, way: Way, state: State, target: Target): number => {
  if (place.isOpenToAll) return target.status;
  const who = whoAsks(way.carry(state), state);
  if (who === 'contradiction') return 400;
  if (target.access === 'open') return target.status;
  if (target.access === 'who am I') return who === 'nobody' ? 401 : target.status;
  if (who !== 'somebody') return 401;
  return target.access === 'sudo' && state.right !== 'sudo' ? 403 : target.status;
};
