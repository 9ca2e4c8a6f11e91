// The headers that carry a session id and its CSRF token. The first name of each is ours; existing clients
// use the others.

export const sidHeaders = ['X-SVC-SID', 'X-FTL-SID', 'sid'] as const;
export const csrfHeaders = ['X-SVC-CSRF', 'X-FTL-CSRF', 'X-CSRF-TOKEN'] as const;
