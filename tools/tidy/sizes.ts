// Limits on the length of lines and files. Oxlint limits functions (`max-lines-per-function`, 60 lines). The
// limit on lines is here, because the formatter breaks neither comments nor strings.

import type { Rule } from './rule.ts';
import { isCode, isOurs, isTest, type Source } from './source.ts';

const MAX_LINE_CHARACTERS = 110;
const MAX_FILE_LINES = 400;
const MAX_TEST_LINES = 800;

export const fileLength: Rule = {
  name: 'file-length',
  check(file) {
    const limit = isTest(file.path) ? MAX_TEST_LINES : MAX_FILE_LINES;
    const count = file.text.replace(/\n$/, '').split('\n').length;
    if (!isOurs(file.path) || !isCode(file.path) || isGenerated(file) || count <= limit) return [];
    return [
      { line: limit + 1, message: `${count} lines, at most ${limit}: split it where the idea changes` },
    ];
  },
};

export const lineLength: Rule = {
  name: 'line-length',
  check(file) {
    if (!isOurs(file.path) || !isCode(file.path) || isGenerated(file)) return [];
    return file.lines.flatMap((text, index) => {
      const length = Array.from(text).length;
      if (length <= MAX_LINE_CHARACTERS || /\bhttps?:\/\//.test(text)) return [];
      return [{ line: index + 1, message: `${length} characters, at most ${MAX_LINE_CHARACTERS}: break it` }];
    });
  },
};

/** Generated code says so in its name or in its first line. */
function isGenerated({ path, lines }: Source): boolean {
  return /[./]generated[./]/.test(path) || /@generated\b/.test(lines[0] ?? '');
}
