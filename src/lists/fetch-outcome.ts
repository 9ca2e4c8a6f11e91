// The result of fetching a list. A failure is a value with a sentence that says what happened and what to do.
// It also says whether a retry makes sense, because only the code that failed knows. The file lies above the
// folders because `fetch` and `copies` both use it.

/** Describes the newest copy, so that the server does not send an unchanged list again. */
export interface Validators {
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
  /** SHA-256 of the unpacked text: for servers that do not support conditional requests. */
  readonly contentHash: string | undefined;
}

/** The text is in the draft file, compressed with zstd. */
export interface FetchedText extends Validators {
  readonly contentHash: string;
  readonly unpackedBytes: number;
  /** Size of the draft file. */
  readonly fileBytes: number;
  readonly fileHash: string;
}

export interface FetchFailure {
  readonly kind: 'failed';
  readonly reason: string;
  /** False when only a person can fix the problem. */
  readonly isWorthRetrying: boolean;
  /** The list has no right to connect to the address that its name or a redirect leads to. */
  readonly isOutOfReach?: boolean;
}

export type FetchOutcome =
  | ({ readonly kind: 'changed' } & FetchedText)
  | { readonly kind: 'unchanged' }
  | FetchFailure;

export function failed(reason: string, isWorthRetrying: boolean): FetchFailure {
  return { kind: 'failed', reason, isWorthRetrying };
}

/** Only an error can stop a stream. This one carries the failure; `fetchList` turns it back into a value. */
export class FetchStop extends Error {
  readonly failure: FetchFailure;

  constructor(reason: string, isWorthRetrying: boolean, more: Pick<FetchFailure, 'isOutOfReach'> = {}) {
    super(reason);
    this.failure = { ...failed(reason, isWorthRetrying), ...more };
  }
}
