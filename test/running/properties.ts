// fast-check with the seed of this run. Property tests import it from here and not from the package, so that
// every run tries the same values unless SLUICE_TEST_SEED names another seed (see seeded.ts). With each
// failure fast-check prints the seed and the path of the counterexample.

import * as fc from 'fast-check';
import { seeded } from './seeded.ts';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: seeded().seed });

export * from 'fast-check';

/** Any text without lone surrogates. `fc.string({ unit: 'binary' })` takes seconds to build its table. */
export function anyText(limits: fc.ArrayConstraints = {}): fc.Arbitrary<string> {
  const points = fc.oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }));
  return fc.array(points, limits).map((codes) => String.fromCodePoint(...codes));
}
