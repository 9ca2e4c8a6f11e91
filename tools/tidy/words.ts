// Rules about forbidden text: clocks that are read inside the logic, markers of unfinished work, tests that
// do not run or that mock modules, and paths that exist on one machine only.

import { findAll, type Rule } from './rule.ts';
import { isCode, isOurs, isTest } from './source.ts';

/** Files that wire a thread or a test; all others get the time as a parameter. */
const CLOCK_FILES = [
  /^src\/platform\/time\/clock\.ts$/,
  /^src\/testing\//,
  /^src\/cli\//,
  /^(?:test|tools|bench)\//,
  /\.test\.ts$/,
];
const CLOCKS = /\b(?:Date|performance)\.now\b|\bnew Date\(\s*\)|\bnew Date\b(?!\s*\()/g;

export const clock: Rule = {
  name: 'clock',
  check({ path, code }) {
    if (!isOurs(path) || !isCode(path) || CLOCK_FILES.some((pattern) => pattern.test(path))) return [];
    return findAll(code, CLOCKS, (match) => `${match} reads a clock: take nowMs as a parameter`);
  },
};

export const unfinished: Rule = {
  name: 'unfinished',
  check({ path, prose }) {
    if (!isOurs(path)) return [];
    return findAll(prose, /\b(?:TODO|FIXME|XXX)\b/g, (match) => `${match}: do it now, or drop it`);
  },
};

export const moduleMock: Rule = {
  name: 'module-mock',
  check({ path, code }) {
    if (!isOurs(path) || !isCode(path)) return [];
    return findAll(
      code,
      /\b(?:mock\.module|vi\.(?:do)?[mM]ock|jest\.mock)\b/g,
      (match) => `${match} replaces a module: pass the dependency as an argument`,
    );
  },
};

const SLEEPERS =
  /\b(?:test|it|describe|suite|t|context)\.(?:only|skip|todo)\s*\(|\b(?:only|skip|todo):\s*(?:true|['"`])/g;

export const sleepingTest: Rule = {
  name: 'sleeping-test',
  check({ path, code }) {
    if (!isTest(path)) return [];
    return findAll(code, SLEEPERS, (match) => `'${match}' keeps tests from running: run or delete them`);
  },
};

/** A folder beside the repository, or an absolute path of the machine it was written on. */
const LOCAL = /\.\.\/shared\b|(?<![\w./~-])\/(?:work|root)\//g;

export const localPath: Rule = {
  name: 'local-path',
  check: ({ text }) => findAll(text, LOCAL, (match) => `'${match}' is outside the repository: remove it`),
};
