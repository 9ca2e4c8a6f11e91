// The program killed in one phase of an update of lists; killed-lists.faults.test.ts tries all of them.

import { test } from 'node:test';

import { killInPhases } from './support/killed-update.ts';

test('a program killed while it compiles an update has the old or the new lists in force', () =>
  killInPhases([/Compiling/u]));
