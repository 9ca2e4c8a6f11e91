// `npm run fuzz -- [packets] [seed]`: runs the DNS codec on a million mutated packets. It prints the seed, so
// that a failure can be reproduced.

import { runFuzz } from './fuzz/run-fuzz.ts';

const DEFAULT_PACKETS = 1_000_000;
const BUDGET_MS = 10 * 60 * 1000;
/** A packet takes microseconds; a busy machine may interrupt us, but not for this long. */
const MAX_PACKET_MS = 2000;

const packets = Number(process.argv[2] ?? DEFAULT_PACKETS);
const seed = Number(process.argv[3] ?? Math.floor(Math.random() * 2 ** 31));
if (!Number.isSafeInteger(packets) || packets < 1 || !Number.isSafeInteger(seed)) {
  console.error('Usage: npm run fuzz -- [packets] [seed], both whole numbers.');
  process.exit(2);
}
console.log(`Fuzzing the DNS codec with ${packets} packets, seed ${seed}.`);
const result = runFuzz(seed, packets, { budgetMs: BUDGET_MS, maxPacketMs: MAX_PACKET_MS });
const seconds = (result.elapsedMs / 1000).toFixed(1);
console.log(`${result.packets} packets in ${seconds} s, the slowest ${result.slowestMs.toFixed(1)} ms.`);
if (result.problem !== undefined) console.error(result.problem);
const isDone = result.problem === undefined && result.packets === packets;
if (!isDone && result.problem === undefined) console.error(`Stopped after ${BUDGET_MS / 1000} s.`);
process.exitCode = isDone ? 0 : 1;
