// The table of endpoints in the form that existing clients expect: by method, with the fixed part of the path
// separate from its parameters.

import type { Endpoint, ReplyBody } from '#contract';

type Rows = ReplyBody<'getEndpoints', 200>['endpoints'];

export function listEndpoints(table: Readonly<Record<string, Endpoint>>): Rows {
  const rows: { [M in keyof Rows]: Rows[M][number][] } = {
    get: [],
    post: [],
    put: [],
    patch: [],
    delete: [],
  };
  for (const { method, path } of Object.values(table)) {
    const at = path.indexOf('/{');
    const [uri, parameters] = at < 0 ? [path, ''] : [path.slice(0, at), path.slice(at)];
    rows[lowerCase(method)].push({ uri, parameters });
  }
  return rows;
}

function lowerCase(method: Endpoint['method']): keyof Rows {
  // Every method in lower case is a key of the rows.
  return method.toLowerCase() as keyof Rows;
}
