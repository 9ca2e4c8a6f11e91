// The limits of the list machinery, in one place. Lists come from strangers and by networks that fail: what
// they may cost in memory, disk and time is bounded here, and tests come with smaller ones.

import { limits } from '#contract';

export interface FetchLimits {
  /** As it is sent, compressed or not. */
  readonly packedBytes: number;
  /** As it is read; the largest lists in use have about a tenth of it. */
  readonly unpackedBytes: number;
  readonly redirects: number;
  /** Until the connection stands, the lookup of the name and the TLS handshake included. */
  readonly connectMs: number;
  /** Between two packets. */
  readonly silenceMs: number;
  /** What has to come in how long, once something has come: a drop now and then is no download. */
  readonly slowBytes: number;
  readonly slowMs: number;
  readonly overallMs: number;
}

export const fetchLimits: FetchLimits = {
  packedBytes: 268_435_456,
  unpackedBytes: 536_870_912,
  redirects: 5,
  connectMs: 10_000,
  silenceMs: 30_000,
  slowBytes: 30_720,
  slowMs: 30_000,
  overallMs: 600_000,
};

/** As the API takes it; a longer one is no address. */
export const addressLengthMax = limits.listAddressLength;
/** Where a server may send us: signed addresses are long. */
export const locationLengthMax = limits.urlLength;
/** Encodings on top of each other in one reply; more than two were only ever seen in attacks. */
export const encodingsMax = 2;
/** Good copies of one list, the one in force included. */
export const copiesKept = 5;
/** Copies of one list that were found damaged; older ones are deleted. */
export const damagedKept = 2;
/** The description of a copy: a report with its samples takes a hundredth of it. */
export const descriptionBytesMax = 262_144;
/** Lists that are fetched at once. */
export const parallelFetches = 4;
/** One that takes longer lets another one begin beside it; and how many such there may be. */
export const fetchPatience = { patienceMs: 5_000, beside: 12 } as const;
/** Tries of one list in one update, the first included. */
export const triesPerUpdate = 3;
/** Texts of one update that are kept for those who watch; a thousand lists with every retry take half. */
export const progressKept = 10_000;
