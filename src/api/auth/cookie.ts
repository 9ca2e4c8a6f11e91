// The session cookie: scripts cannot read it, other sites' forms do not send it, and a cookie set over TLS is
// never sent over plain HTTP. Every successful reply sets it again, because it extends the session.

export function sessionCookie(sid: string, validitySeconds: number, isTls: boolean): string {
  return `sid=${sid}; HttpOnly; SameSite=Lax; Path=/; Max-Age=${validitySeconds}${isTls ? '; Secure' : ''}`;
}

export const clearedCookie = 'sid=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0';
