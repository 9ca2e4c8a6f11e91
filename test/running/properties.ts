// fast-check with the seed of this run. Property tests import it from here instead of from the package, so
// that every run tries the same values unless SLUICE_TEST_SEED names another seed (see seeded.ts). fast-check
// prints the seed and the path of a counterexample with each failure.

import * as fc from 'fast-check';
import { seeded } from './seeded.ts';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: seeded().seed });

export * from 'fast-check';
