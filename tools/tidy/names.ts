// Rules about names of files and folders: one spelling, so that paths are predictable, and no vague names. A
// name such as "helpers" does not say what a file contains.

import { posix } from 'node:path';

import { isDoor } from './doors.ts';
import type { Rule } from './rule.ts';
import { isCode, isOurs } from './source.ts';

const KEBAB_FILE = /^[a-z\d]+(?:-[a-z\d]+)*(?:\.[a-z\d]+(?:-[a-z\d]+)*)*$/;
const VAGUE = /^(?:.+-)?(?:utils?|helpers?)$|^(?:commons?|misc)$/;

export const fileName: Rule = {
  name: 'file-name',
  check({ path }) {
    if (!isOurs(path) || !isCode(path)) return [];
    const wrong = path.split('/').find((part) => !KEBAB_FILE.test(part));
    return wrong === undefined ? [] : [{ line: 1, message: `'${wrong}' is not kebab-case: rename it` }];
  },
};

export const vagueName: Rule = {
  name: 'vague-name',
  check({ path }) {
    if (!isOurs(path)) return [];
    const stem = path.split('/').map((part) => part.split('.')[0] ?? part);
    const wrong = stem.find((part) => VAGUE.test(part));
    return wrong === undefined ? [] : [{ line: 1, message: `'${wrong}' is vague: name what it contains` }];
  },
};

export const indexIsDoor: Rule = {
  name: 'index-is-door',
  check({ path, code }) {
    if (!isOurs(path) || !/^index\.[cm]?[jt]sx?$/.test(posix.basename(path))) return [];
    if (!isDoor(path)) {
      const message =
        'an index.ts is a door, and package.json does not list it: name the file after its idea';
      return [{ line: 1, message }];
    }
    const rest = code.replaceAll(REEXPORT, (match) => match.replaceAll(/[^\n]/g, ' '));
    const at = rest.search(/\S/);
    if (at === -1) return [];
    const line = rest.slice(0, at).split('\n').length;
    return [{ line, message: 'a door only re-exports (export … from): move the rest into another file' }];
  },
};

const REEXPORT = /\bexport\s+(?:type\s+)?(?:\*(?:\s*as\s+[\w$]+)?|\{[^}]*\})\s*from\s*(['"])[^'"]*\1\s*;?/g;
