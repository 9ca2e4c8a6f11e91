// A limit is spelled in one way: `maxX` or `minX`, in capitals `MAX_X`, so that a search for `max` finds all
// of them. The rule reads constants at the top level of a file. It excludes no protocol names, because none
// ends in `Max`; where one does, name our constant after its meaning.

import { findAll, type Rule } from './rule.ts';
import { isCode, isOurs } from './source.ts';

const OTHER_SPELLINGS = [
  String.raw`(?:most|least)[A-Z]\w*`,
  String.raw`\w*[a-z\d](?:Max|Min)(?:[A-Z]\w*)?`,
  String.raw`(?:MOST|LEAST)_\w+`,
  String.raw`\w+_(?:MAX|MIN)(?:_\w+)?`,
];
const OTHERWISE_NAMED = new RegExp(
  String.raw`(?<=^(?:export )?const )(?:${OTHER_SPELLINGS.join('|')})\b`,
  'gm',
);

export const limitName: Rule = {
  name: 'limit-name',
  check({ path, code }) {
    if (!isOurs(path) || !isCode(path)) return [];
    return findAll(code, OTHERWISE_NAMED, (match) => `'${match}' is a limit: name it maxX, minX or MAX_X`);
  },
};
