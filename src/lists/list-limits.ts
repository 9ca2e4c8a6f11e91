// All limits of this room. Lists come from untrusted servers over unreliable networks: these limits bound
// their cost in memory, disk and time. Tests pass in smaller ones. The contract has those that a message can
// name.

import { limits } from '#contract/limits';

export interface FetchLimits {
  /** As transferred, compressed or not. */
  readonly packedBytes: number;
  /** After decompression; the largest lists in use have about a tenth of this. */
  readonly unpackedBytes: number;
  readonly redirects: number;
  /** Until the connection is established, including name lookup and TLS handshake. */
  readonly connectMs: number;
  /** Between two packets. */
  readonly silenceMs: number;
  /** The lowest accepted speed, once bytes have arrived: fewer than slowBytes in slowMs is a failure. */
  readonly slowBytes: number;
  readonly slowMs: number;
  readonly overallMs: number;
}

export const fetchLimits: FetchLimits = {
  packedBytes: limits.listBytesPacked,
  unpackedBytes: limits.listBytesUnpacked,
  redirects: limits.listRedirects,
  connectMs: limits.listConnectMs,
  silenceMs: limits.listSilenceMs,
  slowBytes: 30_720,
  slowMs: 30_000,
  overallMs: limits.listFetchMs,
};

/** The same limit as in the API. */
export const maxAddressLength = limits.listAddressLength;
/** Target of a redirect: signed addresses are long. */
export const maxLocationLength = limits.urlLength;
/** Nested content encodings of one reply; only attacks use more than two. */
export const maxEncodings = 2;
/** Good copies of one list, including the one in force. */
export const copiesKept = 5;
/** Damaged copies of one list; older ones are deleted. */
export const damagedKept = 2;
/** The description of a copy; a report with its samples takes a hundredth of this. */
export const maxDescriptionBytes = 262_144;
/** Lists that are fetched in parallel. */
export const parallelFetches = 4;
/** A fetch that takes longer than patienceMs gives up its place and goes on beside; at most 12 do so. */
export const fetchPatience = { patienceMs: 5_000, beside: 12 } as const;
/** Attempts per list in one update, including the first. */
export const triesPerUpdate = 3;
/** Progress texts kept for the readers of one update; a thousand lists with every retry need half of them. */
export const progressKept = 10_000;
