// Imports Node's HTTP module without undici. An `import` of `node:http` reads all of its exports, and one of
// them, WebSocket, loads undici: 70 ms of CPU time and 16 MB in the api thread and in every command, although
// we never use it. `getBuiltinModule` reads only the exports that are named here; the build fails if one is
// missing.

import type { Plugin } from 'rolldown';

const HTTP = 'node:http';
const ID = '\0lean-http';
const TEXT = `export const { METHODS, createServer, request } = process.getBuiltinModule('${HTTP}');`;

export const leanHttp: Plugin = {
  name: 'lean-http',
  // The framework uses `require`, which does not read the exports.
  resolveId: (specifier, _importer, { kind }) => {
    if (specifier !== HTTP) return null;
    return kind === 'import-statement' ? ID : { id: HTTP, external: true };
  },
  load: (id) => (id === ID ? { code: TEXT, moduleSideEffects: false } : null),
};
