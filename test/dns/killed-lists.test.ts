// The program is killed in one phase of a list update; killed-lists.faults.test.ts tries all phases.

import { test } from 'node:test';

import { killInPhases } from './support/killed-update.ts';

test('a program killed while it compiles an update has the old or the new lists in force', () =>
  killInPhases([/Compiling/u]));
