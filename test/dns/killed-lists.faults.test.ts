// The program killed in every phase of an update of lists.

import { test } from 'node:test';

import { killInPhases } from './support/killed-update.ts';

test('a program killed in any phase of an update has the old or the new lists in force', () =>
  killInPhases([/fetching file:/u, /reading \d/u, /downloaded/u, /Compiling/u, /Putting/u]));
