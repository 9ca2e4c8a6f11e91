// Repeatable random numbers: the seed is always the same unless SLUICE_TEST_SEED names another one, so a test
// run is deterministic. `SLUICE_TEST_SEED=random` chooses a new seed; a test that uses it puts the seed into
// its title, so that a failure can be repeated.

export type Seeded = {
  readonly seed: number;
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
};

/** mulberry32: small, and good enough to choose test cases. */
export const seeded = (): Seeded => {
  const wanted = process.env['SLUICE_TEST_SEED'] ?? '1';
  const seed = wanted === 'random' ? Date.now() % 2 ** 31 : Number(wanted);
  let state = seed;
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { seed, random };
};
