// Leaves out of the bundle what the HTTP framework would bring along and we never use: the compilers of its
// own schemas (the contract validates), its logger (ours writes lines) and its way to test without sockets
// (we have real ones). The framework asks for each of them by a `require` of its own and works without;
// whoever does use one gets an error that names this file. It halves the code of the api thread.

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

/** The compilers are factories of factories: those are called at every start, what they make never is. */
function standIn(name: string): string {
  const problem = `${name} was left out of the bundle (tools/build/leave-out.ts): take it in, or do without.`;
  return `module.exports = () => () => { throw new Error(${JSON.stringify(problem)}); };`;
}
