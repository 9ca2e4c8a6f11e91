// The session cookie: for browsers only, out of reach of scripts, not sent along by other sites' forms, and
// over TLS never in clear. It is set anew with every good reply, because its life slides with the session's.

export const sessionCookie = (sid: string, validitySeconds: number, isTls: boolean): string =>
  `sid=${sid}; HttpOnly; SameSite=Lax; Path=/; Max-Age=${validitySeconds}${isTls ? '; Secure' : ''}`;

export const clearedCookie = 'sid=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0';
