// The session cookie: scripts cannot read it, other sites' forms do not send it, and a cookie set over TLS is
// never sent over plain HTTP. Every successful reply sets it again, because it extends the session.
//
// Browsers refuse to replace a Secure cookie over plain HTTP, unless the path of the Secure cookie is the
// deeper one (RFC 6265bis section 5.7). So the cookie of HTTPS has the path of the API and that of plain HTTP
// the path above it: one browser can be logged in over both (docs/decisions/018).

export interface CookieScope {
  /** The setting web.basePath. */
  readonly basePath: string;
  readonly isTls: boolean;
}

export function sessionCookie(sid: string, validitySeconds: number, scope: CookieScope): string {
  const place = scope.isTls ? securePlace(scope) : plainPlace(scope);
  return `sid=${sid}; HttpOnly; SameSite=Lax; Max-Age=${validitySeconds}; ${place}`;
}

/** Over TLS the browser sends both cookies, so both are cleared. Plain HTTP can clear only its own. */
export function clearedCookies(scope: CookieScope): readonly string[] {
  const places = scope.isTls ? [securePlace(scope), plainPlace(scope)] : [plainPlace(scope)];
  return places.map((place) => `sid=; HttpOnly; SameSite=Lax; Max-Age=0; ${place}`);
}

function securePlace({ basePath }: CookieScope): string {
  return `Path=${basePath}/api; Secure`;
}

function plainPlace({ basePath }: CookieScope): string {
  return `Path=${basePath === '' ? '/' : basePath}`;
}
