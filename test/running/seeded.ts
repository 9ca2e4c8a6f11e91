// Chance that can be repeated: numbers from a seed, which is new each time unless SLUICE_TEST_SEED names one.
// A test that uses it puts the seed into its failure messages.

export type Seeded = {
  readonly seed: number;
  /** From 0 up to but not 1. */
  readonly random: () => number;
};

/** mulberry32: small, and good enough to choose test cases. */
export const seeded = (): Seeded => {
  const seed = Number(process.env['SLUICE_TEST_SEED'] ?? Date.now() % 2 ** 31);
  let state = seed;
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { seed, random };
};
