// The introduction of the API, in Markdown: what a caller needs to know before the first request. It opens
// the documentation page and the OpenAPI document. Numbers come from the limits and the settings, so that it
// cannot contradict them.

import { limits } from '../limits.ts';
import { csrfHeaders, sidHeaders } from '../session-headers.ts';
import { auth } from '../settings/auth.ts';

export const introduction = `
Everything that the web interface and the command line do goes through this API.

## Log in
Send the password to \`POST /api/auth\`:

    curl -s http://localhost/api/auth -d '{"password": "…"}' -H 'Content-Type: application/json'

The reply has a session id, \`session.sid\`. Send it with every further request:

    curl -s http://localhost/api/groups -H 'X-SVC-SID: …'

- **Password**: all rights. With two-factor authentication, \`totp\` has to carry the current token as well.
- **Application password** (\`POST /api/auth/app\`): for scripts and dashboards. It needs no token, can be
  revoked on its own, and may change settings and credentials only if it was made with \`sudo\`.
- **No password set**: every request is allowed, and no session id is needed.
- **On the machine itself**: the command line \`sluice\` uses a local socket and needs no password.

## Pass the session id
Use one of these four ways. Two different ids in one request are an error.

| Way | Example |
|---|---|
| Header | \`${sidHeaders[0]}: <sid>\` (also accepted: ${others(sidHeaders)}) |
| Query | \`/api/groups?sid=<sid>\`, URL-encoded |
| JSON body | \`{"sid": "<sid>", …}\`, beside the other fields |
| Cookie | \`Cookie: sid=<sid>\`, as browsers do after logging in; needs the CSRF token |

**CSRF token**: browsers send cookies without being asked, so a request with the cookie alone also needs the
header \`${csrfHeaders[0]}\` (also accepted: ${others(csrfHeaders)}). Its value is \`session.csrf\`
of the login; \`GET /api/auth\` returns it again, for example after a page was reloaded.

## How long a session lasts
- **Expiry**: ${auth.validitySeconds.default} seconds after its last request (\`auth.validitySeconds\`).
  Every successful request extends it. \`DELETE /api/auth\` ends it.
- **Address**: a session is valid only for the address that logged in (\`auth.bindAddress\`).
- **Seats**: there are ${auth.maxSessions.default} sessions at a time (\`auth.maxSessions\`). When all are in
  use, logging in fails with 429 \`api_seats_exceeded\`; so keep a session instead of logging in for each
  request, and log out at the end.
- **Failed logins** are limited per second for each address; above that they fail with 429
  \`rate_limiting\`.

## Replies and errors
Replies are UTF-8 JSON objects with \`took\`, the processing time in seconds. \`ignored\` names fields of the
request that have no meaning. A failure has an \`error\` with \`key\` (stable, for programs), \`message\` (for
people) and \`hint\` (what was wrong, or null):

    {"error": {"key": "bad_request", "message": "…", "hint": null}, "took": 0.0001}

| Status | Meaning |
|---|---|
| 400 | The request is wrong: \`message\` and \`hint\` say what |
| 401 | No session, or it has ended: log in |
| 402 | The request is right, but could not be fulfilled: \`hint\` says why |
| 403 | The session may not do this |
| 404 | There is no such path or item |
| 412 | The item has changed since you read it (\`If-Match\`) |
| 429 | Too many requests: wait as long as \`Retry-After\` says |
| 500, 503 | The service has a problem: try again later; \`GET /api/health\` says what fails |

## Limits
A request may have ${limits.itemsPerRequest} items, a body of ${limits.bodyBytes} bytes
(${limits.bodyBytesAnonymous} before the login), ${limits.jsonDepth} levels of JSON and a URL of
${limits.urlLength} characters. A client may have ${limits.connectionsPerClient} connections.
`.trim();

function others(names: readonly string[]): string {
  return names
    .slice(1)
    .map((name) => `\`${name}\``)
    .join(', ');
}
