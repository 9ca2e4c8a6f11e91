// Takes Node's HTTP module without its own client for the web. An `import` of `node:http` reads all of its
// exports at once, and one of them, WebSocket, then loads undici: 70 ms of one core and 16 MB, in the api
// thread and in every command, for what we never use. `getBuiltinModule` reads only what is named here; a
// name that is missing fails the build.

import type { Plugin } from 'rolldown';

const HTTP = 'node:http';
const ID = '\0lean-http';
const TEXT = `export const { METHODS, createServer, request } = process.getBuiltinModule('${HTTP}');`;

export const leanHttp: Plugin = {
  name: 'lean-http',
  // The framework asks by `require`, which reads nothing by itself.
  resolveId: (specifier, _importer, { kind }) => {
    if (specifier !== HTTP) return null;
    return kind === 'import-statement' ? ID : { id: HTTP, external: true };
  },
  load: (id) => (id === ID ? { code: TEXT, moduleSideEffects: false } : null),
};
