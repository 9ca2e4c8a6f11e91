// `npm run fuzz:policy -- [names] [seed]`: compares compiled policies with naive matchers on five million
// names. It runs tests of `npm test` with more names, and prints the seed, so that a failure can be
// reproduced.

import { run } from './run.ts';

const DEFAULT_NAMES = 5_000_000;
const TIMEOUT_MS = 30 * 60 * 1000;
const TESTS = ['src/policy/decide/agreement.test.ts', 'src/policy/decide/list-agreement.test.ts'];

const names = Number(process.argv[2] ?? DEFAULT_NAMES);
const seed = Number(process.argv[3] ?? Math.floor(Math.random() * 2 ** 31));
if (!Number.isSafeInteger(names) || names < 1 || !Number.isSafeInteger(seed)) {
  console.error('Usage: npm run fuzz:policy -- [names] [seed], both whole numbers.');
  process.exit(2);
}
console.log(`Comparing policies on ${names} names, seed ${seed}.`);
const { isOk } = await run('node', ['--test', '--test-reporter=spec', ...TESTS], {
  output: 'inherit',
  env: { SLUICE_TEST_NAMES: String(names), SLUICE_TEST_SEED: String(seed) },
  timeoutMs: TIMEOUT_MS,
});
process.exitCode = isOk ? 0 : 1;
