// The program is killed in every phase of a list update.

import { test } from 'node:test';

import { killInPhases } from './support/killed-update.ts';

test('a program killed in any phase of an update has the old or the new lists in force', () =>
  killInPhases([/fetching file:/u, /reading \d/u, /downloaded/u, /Compiling/u, /Putting/u]));
