// Headers for pages elsewhere that `web.origins` allows. Nobody else gets any: without them a browser keeps
// replies from other pages by itself.

export const corsHeaders = (origin: string): Readonly<Record<string, string>> => ({
  'access-control-allow-origin': origin,
  'access-control-expose-headers': 'Location, ETag, Retry-After, Allow',
  'cross-origin-resource-policy': 'cross-origin',
  vary: 'Origin',
});

export const preflightHeaders = (origin: string, allow: string): Readonly<Record<string, string>> => ({
  ...corsHeaders(origin),
  'access-control-allow-methods': allow,
  'access-control-allow-headers': 'Content-Type, If-Match, X-SVC-SID, X-SVC-CSRF, X-FTL-SID, X-FTL-CSRF, sid',
  'access-control-max-age': '600',
});
