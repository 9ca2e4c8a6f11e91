// Runs the codec on each packet twice, in two buffers that are filled with different bytes. Stops at the
// first packet that throws, takes too long or gives different results, and prints everything to reproduce
// that packet.

import { exercise } from './exercise.ts';
import { MAX_PACKET_BYTES, nextPacket, soundPackets } from './packets.ts';
import { Random } from './random.ts';
import { watched } from './watched.ts';

/** Lengths in packets reach up to 64 KiB ahead; this area is filled with guard bytes. */
const GUARDED_BYTES = 70_000;
const START = 1000;
const TEXT_EVERY = 16;
/** One packet in this many is repeated with every read checked, which takes a hundred times longer. */
const PACKETS_PER_WATCHED = 256;
export interface FuzzResult {
  readonly packets: number;
  readonly elapsedMs: number;
  readonly slowestMs: number;
  /** The failure with the packet in hex; undefined without a failure. */
  readonly problem: string | undefined;
}

type Trial = (packet: Uint8Array, length: number, withText: boolean) => string | undefined;

export interface FuzzTimes {
  /** No packet is started after this time. */
  readonly budgetMs: number;
  /** A packet that takes longer is a failure. */
  readonly maxPacketMs: number;
}

const unlimited: FuzzTimes = { budgetMs: Infinity, maxPacketMs: Infinity };

export function runFuzz(seed: number, packets: number, times: FuzzTimes = unlimited): FuzzResult {
  const random = new Random(seed);
  const guards = [guarded(random), guarded(random)];
  const between: Trial = (packet, length, withText) => {
    const [first, second] = guards.map((guard) => outcome(packet, length, guard, withText));
    return first === second ? undefined : 'the bytes around the packet change what is read';
  };
  const beganMs = performance.now();
  const first = run(random, packets, times, between);
  // Last, because V8 deoptimises code that has seen a watched packet.
  const second = run(
    random,
    Math.ceil(first.packets / PACKETS_PER_WATCHED),
    { ...times, budgetMs: Infinity },
    underWatch,
  );
  const problem = first.problem ?? second.problem;
  return {
    packets: first.packets,
    elapsedMs: performance.now() - beganMs,
    slowestMs: Math.max(first.slowestMs, second.slowestMs),
    problem: problem && `seed ${seed}, ${problem}`,
  };
}

const underWatch: Trial = (packet, length, withText) => {
  exercise(watched(packet, 0, length), 0, length, withText);
  return undefined;
};

function run(random: Random, packets: number, times: FuzzTimes, trial: Trial): FuzzResult {
  const sound = soundPackets();
  const packet = new Uint8Array(MAX_PACKET_BYTES);
  const beganMs = performance.now();
  const untilMs = beganMs + times.budgetMs;
  let nowMs = beganMs;
  let slowestMs = 0;
  let problem: string | undefined;
  let count = 0;
  for (; count < packets && nowMs < untilMs && problem === undefined; count += 1) {
    const length = nextPacket(random, sound, packet);
    const thenMs = nowMs;
    const complaint = attempt(() => trial(packet, length, count % TEXT_EVERY === 0));
    nowMs = performance.now();
    slowestMs = Math.max(slowestMs, nowMs - thenMs);
    const found = complaint ?? (nowMs - thenMs > times.maxPacketMs ? `took ${nowMs - thenMs} ms` : undefined);
    if (found !== undefined) problem = `packet ${count}: ${found}\n${packet.subarray(0, length).toHex()}`;
  }
  return { packets: count, elapsedMs: nowMs - beganMs, slowestMs, problem };
}

function attempt(work: () => string | undefined): string | undefined {
  try {
    return work();
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

interface Guarded {
  readonly bytes: Uint8Array;
  /** A copy without any packet. */
  readonly clean: Uint8Array;
}

function guarded(random: Random): Guarded {
  const clean = Uint8Array.from({ length: START + GUARDED_BYTES }, () => random.byte());
  return { bytes: clean.slice(), clean };
}

function outcome(packet: Uint8Array, length: number, guard: Guarded, withText: boolean): number {
  const { bytes, clean } = guard;
  bytes.set(packet.subarray(0, length), START);
  try {
    return exercise(bytes, START, length, withText);
  } finally {
    bytes.set(clean.subarray(START, START + length), START);
  }
}
