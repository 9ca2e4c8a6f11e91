// What comes of fetching a list. Every failure is a value with a sentence for people: what happened, and
// what to do about it. Whether another try soon is worth it is part of it, because only the place that failed
// knows.

/** What is known of the newest copy, so that an unchanged list is not sent again. */
export interface Validators {
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
  /** SHA-256 of the unpacked text: for servers that know nothing of conditional requests. */
  readonly contentHash: string | undefined;
}

/** The text lies in the draft file, compressed with zstd. */
export interface FetchedText extends Validators {
  readonly contentHash: string;
  readonly unpackedBytes: number;
  /** Of the draft file. */
  readonly fileBytes: number;
  readonly fileHash: string;
}

export interface FetchFailure {
  readonly kind: 'failed';
  readonly reason: string;
  /** False when only a person can change something about it. */
  readonly isWorthRetrying: boolean;
  /** The rights of the list do not cover the address that it leads to. */
  readonly isOutOfReach?: boolean;
}

export type FetchOutcome =
  | ({ readonly kind: 'changed' } & FetchedText)
  | { readonly kind: 'unchanged' }
  | FetchFailure;

export const failed = (reason: string, isWorthRetrying: boolean): FetchFailure => ({
  kind: 'failed',
  reason,
  isWorthRetrying,
});

/** Streams can only be stopped by an error; this one carries the value, and never leaves the fetching. */
export class FetchStop extends Error {
  readonly failure: FetchFailure;

  constructor(reason: string, isWorthRetrying: boolean, more: Pick<FetchFailure, 'isOutOfReach'> = {}) {
    super(reason);
    this.failure = { ...failed(reason, isWorthRetrying), ...more };
  }
}
