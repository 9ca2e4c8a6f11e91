// The paths of the table in the router's own notation, and which methods each path has. `{name}` is one
// segment and `{name...}` the rest of the path, which the router calls `*`.

import { fail, type Endpoint, type Failure, type Method } from '#contract';

export const routerPath = (path: string): string =>
  path
    // A colon of our own (`:batchDelete`) is written twice; one means a parameter.
    .replaceAll(':', '::')
    .replaceAll(/\{\w+\.\.\.\}/g, '*')
    // A parameter before such a colon ends there.
    .replaceAll(/\{(\w+)\}(?=::)/g, ':$1([^:]+)')
    .replaceAll(/\{(\w+)\}/g, ':$1');

/** The name that the rest of the path has in the declaration, if it has one. */
export const restName = (path: string): string | undefined => /\{(\w+)\.\.\.\}/.exec(path)?.[1];

export const methodsByPath = (
  table: Readonly<Record<string, Endpoint>>,
): ReadonlyMap<string, readonly Method[]> => {
  const byPath = Map.groupBy(Object.values(table), ({ path }) => routerPath(path));
  return new Map([...byPath].map(([path, declared]) => [path, declared.map(({ method }) => method)]));
};

/** The methods of the path that a URL names, found without the router. */
export const methodsAt = (table: Readonly<Record<string, Endpoint>>, url: string): readonly Method[] => {
  const path = (url.split('?', 1)[0] ?? '').replace(/(?<=.)\/$/, '');
  return Object.values(table)
    .filter((declared) => pathPattern(declared.path).test(path))
    .map(({ method }) => method);
};

const pathPattern = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(/\{\w+\.\.\.\}/g, '.+').replaceAll(/\{\w+\}/g, '[^/]+')}$`);

/** The value of the header Allow: HEAD goes wherever GET goes, OPTIONS everywhere. */
export const allowHeader = (methods: readonly Method[]): string =>
  [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');

/** Old clients of this API look for it below /admin; the wording is what they compare. */
export const unknownPath = (path: string, host: string | undefined): Failure<'notFound' | 'wrongApiPath'> => {
  if (!path.startsWith('/admin/api')) return fail('notFound', path);
  return fail(
    'wrongApiPath',
    `The API is hosted at ${host ?? 'sluice.internal'}/api, not ${host ?? 'sluice.internal'}/admin/api`,
  );
};
