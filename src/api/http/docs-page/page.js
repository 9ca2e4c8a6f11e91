// The documentation page in the browser: Swagger UI, and above it the login. Requests that the page sends use
// the session of the cookie; the CSRF token that they need is kept in memory only and fetched again after a
// reload. The groups are collapsed, because showing all operations takes a browser seconds.

const { documentUrl, authUrl, csrfHeader } = document.getElementById('page').dataset;
const methods = ['get', 'post', 'put', 'patch', 'delete'];
const form = document.getElementById('login');
const state = document.getElementById('session');
const logoutButton = document.getElementById('logout');
let csrf;

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void login();
});
logoutButton.addEventListener('click', () => void logout());
document.addEventListener('input', openGroupsWhileFiltering, { capture: true });
void readSession();

const ui = window.SwaggerUIBundle({
  url: documentUrl,
  dom_id: '#page',
  deepLinking: true,
  validatorUrl: null,
  docExpansion: 'none',
  defaultModelsExpandDepth: -1,
  filter: true,
  displayRequestDuration: true,
  operationsSorter: byPath,
  plugins: [{ fn: { opsFilter: filterOperations } }],
  requestInterceptor: withSession,
  responseInterceptor: noteSession,
});

async function readSession() {
  const reply = await fetch(authUrl, { cache: 'no-store' });
  showSession(reply.status, await reply.json());
}

async function login() {
  const { password, totp } = form.elements;
  const credentials = { password: password.value, ...(totp.value === '' ? {} : { totp: totp.value }) };
  const reply = await fetch(authUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  });
  const body = await reply.json();
  form.reset();
  if (reply.ok) return showSession(reply.status, body);
  const { message, hint } = body.error;
  state.textContent = `The login failed: ${message}${typeof hint === 'string' ? ` (${hint})` : ''}`;
}

async function logout() {
  await fetch(authUrl, { method: 'DELETE', headers: csrf === undefined ? {} : { [csrfHeader]: csrf } });
  await readSession();
}

function showSession(status, body) {
  csrf = status === 200 ? body.session.csrf : undefined;
  const isOpen = status === 200 && csrf === undefined;
  form.hidden = status === 200;
  logoutButton.hidden = csrf === undefined;
  if (isOpen) state.textContent = 'No password is set: requests need no login.';
  else if (csrf === undefined) state.textContent = 'Log in to try requests on this page:';
  else state.textContent = 'You are logged in. Requests on this page use your session.';
}

/** Adds the CSRF token, unless the reader entered a session id under "Authorize". */
function withSession(request) {
  const isOwn = new URL(request.url, location.href).origin === location.origin;
  const hasToken = Object.keys(request.headers).some(
    (name) => name.toLowerCase() === csrfHeader.toLowerCase(),
  );
  if (isOwn && csrf !== undefined && !hasToken) request.headers[csrfHeader] = csrf;
  return request;
}

/** A login or logout that the reader tries as an operation changes the session of the page too. */
function noteSession(response) {
  const isAuth = new URL(response.url, location.href).pathname === authUrl;
  if (isAuth && (response.status === 200 || response.status === 410)) void readSession();
  return response;
}

function byPath(one, other) {
  const paths = [one.get('path'), other.get('path')];
  if (paths[0] !== paths[1]) return paths[0] < paths[1] ? -1 : 1;
  return methods.indexOf(one.get('method')) - methods.indexOf(other.get('method'));
}

/** Swagger UI's own filter looks at the names of the groups only. */
function filterOperations(groups, phrase) {
  const wanted = phrase.toLowerCase();
  const isWanted = (operation) =>
    [operation.get('path'), operation.get('method'), operation.getIn(['operation', 'summary'], '')]
      .join(' ')
      .toLowerCase()
      .includes(wanted);
  return groups
    .map((group, name) =>
      name.includes(wanted) ? group : group.update('operations', (list) => list.filter(isWanted)),
    )
    .filter((group) => group.get('operations').size > 0);
}

/**
 * While the reader filters, all groups are open. The groups close before Swagger UI handles an empty filter,
 * and open after it has applied a phrase, because it must never show all operations at once.
 */
function openGroupsWhileFiltering({ target }) {
  if (!target.matches('.operation-filter-input')) return;
  if (target.value === '') showGroups(false);
  else setTimeout(() => showGroups(true));
}

function showGroups(isOpen) {
  const { specSelectors, layoutActions } = ui.getSystem();
  for (const topic of specSelectors.specJson().get('tags'))
    layoutActions.show(['operations-tag', topic.get('name')], isOpen);
}
