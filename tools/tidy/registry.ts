// All rules of tidy, in the order of CONTRIBUTING.md. Rules that Oxlint can check (any, `!`, default exports,
// function length, complexity) are in .oxlintrc.json instead.

import { arrow, door, oneFastify, ownDoor } from './arrows.ts';
import { castComment } from './casts.ts';
import { cycle } from './cycles.ts';
import { folderCycle } from './folders.ts';
import { headComment } from './head-comment.ts';
import { limitName } from './limit-names.ts';
import { fileName, indexIsDoor, vagueName } from './names.ts';
import { oldWords } from './old-words.ts';
import type { Rule } from './rule.ts';
import { fileLength, lineLength } from './sizes.ts';
import { clock, localPath, moduleMock, sleepingTest, unfinished } from './words.ts';

export const RULES: readonly Rule[] = [
  fileName,
  fileLength,
  lineLength,
  indexIsDoor,
  door,
  ownDoor,
  arrow,
  cycle,
  folderCycle,
  oneFastify,
  vagueName,
  limitName,
  castComment,
  clock,
  headComment,
  unfinished,
  oldWords,
  moduleMock,
  sleepingTest,
  localPath,
];
