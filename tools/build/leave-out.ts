// Leaves parts of the HTTP framework out of the bundle that we never use: its schema compilers (the contract
// validates), its logger (we have our own) and its test injection (tests use real sockets). The framework
// loads each with a separate `require` and works without them; using one throws an error that names this
// file. This halves the code of the api thread.

import type { Plugin } from 'rolldown';

const PACKAGES = [
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  'light-my-request',
  'pino',
];
const MARK = '\0left-out:';

export const leaveOut: Plugin = {
  name: 'leave-out',
  resolveId: (specifier) => (PACKAGES.includes(specifier) ? `${MARK}${specifier}.cjs` : null),
  load: (id) => (id.startsWith(MARK) ? standIn(id.slice(MARK.length)) : null),
};

/** The compilers are factories of factories: the outer ones run at every start, the inner ones never. */
function standIn(name: string): string {
  const problem = `${name} is not in the bundle (tools/build/leave-out.ts): add it, or avoid it.`;
  return `module.exports = () => () => { throw new Error(${JSON.stringify(problem)}); };`;
}
