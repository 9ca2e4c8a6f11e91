// Throws packets at the codec, and each one twice, in the middle of two buffers full of different bytes.
// Stops at the first packet that makes it throw, take long, or end differently, and says what is needed to
// have that packet again.

import { exercise } from './exercise.ts';
import { MAX_PACKET_BYTES, nextPacket, soundPackets } from './packets.ts';
import { Random } from './random.ts';

/** Lengths in packets reach up to 64 KiB ahead; all that lies there is guarded. */
const GUARDED_BYTES = 70_000;
const START = 1000;
const TEXT_EVERY = 16;
/** A packet takes microseconds; a shared machine may stop us for a while, but not so long. */
const MAX_PACKET_MS = 2000;

export interface FuzzResult {
  readonly packets: number;
  readonly elapsedMs: number;
  readonly slowestMs: number;
  /** What went wrong, with the packet in hex; undefined when nothing did. */
  readonly problem: string | undefined;
}

export function runFuzz(seed: number, packets: number, budgetMs: number): FuzzResult {
  const random = new Random(seed);
  const sound = soundPackets();
  const packet = new Uint8Array(MAX_PACKET_BYTES);
  const guards = [guarded(random), guarded(random)] as const;
  const beganMs = performance.now();
  let nowMs = beganMs;
  let slowestMs = 0;
  for (let count = 0; count < packets; count += 1) {
    const length = nextPacket(random, sound, packet);
    const problem = tryPacket(packet, length, guards, count % TEXT_EVERY === 0);
    const thenMs = nowMs;
    nowMs = performance.now();
    slowestMs = Math.max(slowestMs, nowMs - thenMs);
    const complaint = problem ?? (nowMs - thenMs > MAX_PACKET_MS ? `took ${nowMs - thenMs} ms` : undefined);
    const isOver = nowMs - beganMs > budgetMs;
    if (complaint === undefined && !isOver) continue;
    const found =
      complaint && `seed ${seed}, packet ${count}: ${complaint}\n${packet.subarray(0, length).toHex()}`;
    return { packets: count + 1, elapsedMs: nowMs - beganMs, slowestMs, problem: found };
  }
  return { packets, elapsedMs: nowMs - beganMs, slowestMs, problem: undefined };
}

interface Guarded {
  readonly bytes: Uint8Array;
  /** The same without any packet. */
  readonly clean: Uint8Array;
}

function guarded(random: Random): Guarded {
  const clean = Uint8Array.from({ length: START + GUARDED_BYTES }, () => random.byte());
  return { bytes: clean.slice(), clean };
}

function tryPacket(
  packet: Uint8Array,
  length: number,
  guards: readonly [Guarded, Guarded],
  withText: boolean,
): string | undefined {
  try {
    const [first, second] = guards.map((guard) => outcome(packet, length, guard, withText));
    return first === second ? undefined : 'the bytes around the packet change what is read';
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
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
