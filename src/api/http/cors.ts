// CORS headers for pages of other origins that `web.origins` allows. Other pages get none, so browsers do not
// let them read replies.

/** `vary` is that of the reply itself. */
export function corsHeaders(origin: string, vary?: string): Readonly<Record<string, string>> {
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'Location, ETag, Retry-After, Allow',
    'cross-origin-resource-policy': 'cross-origin',
    vary: vary === undefined ? 'Origin' : `${vary}, Origin`,
  };
}

export function preflightHeaders(origin: string, allow: string): Readonly<Record<string, string>> {
  return {
    ...corsHeaders(origin),
    'access-control-allow-methods': allow,
    'access-control-allow-headers':
      'Content-Type, If-Match, If-None-Match, X-SVC-SID, X-SVC-CSRF, X-FTL-SID, X-FTL-CSRF, sid',
    'access-control-max-age': '600',
  };
}
