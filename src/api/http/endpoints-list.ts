// The table of endpoints as existing clients list it: by method, the fixed part of the path apart from what
// varies.

import type { Endpoint, ReplyBody } from '#contract';

type Rows = ReplyBody<'getEndpoints', 200>['endpoints'];

export const listEndpoints = (table: Readonly<Record<string, Endpoint>>): Rows => {
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
};

// Every method in lower case is a key of the rows.
const lowerCase = (method: Endpoint['method']): keyof Rows => method.toLowerCase() as keyof Rows;
