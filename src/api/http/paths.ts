// The paths of the table in the router's notation, and the methods of each path. `{name}` is one segment and
// `{name...}` the rest of the path, which the router calls `*`.

import { fail, type Endpoint, type Failure, type Method } from '#contract';

export function routerPath(path: string): string {
  return (
    path
      // A literal colon (`:batchDelete`) is written twice; a single one starts a parameter.
      .replaceAll(':', '::')
      .replaceAll(/\{\w+\.\.\.\}/g, '*')
      // A parameter ends before a literal colon.
      .replaceAll(/\{(\w+)\}(?=::)/g, ':$1([^:]+)')
      .replaceAll(/\{(\w+)\}/g, ':$1')
  );
}

/** The name of the parameter for the rest of the path, if there is one. */
export function restName(path: string): string | undefined {
  return /\{(\w+)\.\.\.\}/.exec(path)?.[1];
}

export function methodsByPath(
  table: Readonly<Record<string, Endpoint>>,
): ReadonlyMap<string, readonly Method[]> {
  const byPath = Map.groupBy(Object.values(table), ({ path }) => routerPath(path));
  return new Map([...byPath].map(([path, declared]) => [path, declared.map(({ method }) => method)]));
}

/** The methods of the path of a URL, found without the router. */
export function methodsAt(table: Readonly<Record<string, Endpoint>>, url: string): readonly Method[] {
  const path = (url.split('?', 1)[0] ?? '').replace(/(?<=.)\/$/, '');
  return Object.values(table)
    .filter((declared) => pathPattern(declared.path).test(path))
    .map(({ method }) => method);
}

/** Whether the query of a URL has invalid escapes or a NUL. Most requests have no query at all. */
export function hasInvalidQuery(url: string): boolean {
  const start = url.indexOf('?');
  if (start < 0 || !url.includes('%', start)) return false;
  try {
    return decodeURIComponent(url.slice(start)).includes('\0');
  } catch {
    return true;
  }
}

function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\.\.\.\}/g, '.+').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

/** The value of the header Allow: every path with GET has HEAD, every path has OPTIONS. */
export function allowHeader(methods: readonly Method[]): string {
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}

/** Old clients look for the API below /admin, and compare this text. */
export function unknownPath(path: string, host: string | undefined): Failure<'notFound' | 'wrongApiPath'> {
  if (!path.startsWith('/admin/api')) return fail('notFound', path);
  return fail(
    'wrongApiPath',
    `The API is hosted at ${host ?? 'sluice.internal'}/api, not ${host ?? 'sluice.internal'}/admin/api`,
  );
}
