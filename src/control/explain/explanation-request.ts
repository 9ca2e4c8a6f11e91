// What the api thread asks a dns worker to explain, and what comes back.

import type { Explained, Inquiry } from '#engine';

/** A decision to be explained. */
export interface ExplanationWanted {
  readonly inquiry: Inquiry;
  /** Whether upstreams are asked for what is not known. */
  readonly resolves: boolean;
}

export type ExplanationOutcome =
  | { readonly kind: 'explained'; readonly worker: string; readonly explained: Explained }
  /** It explains as much as it may. */
  | { readonly kind: 'busy' }
  /** No worker runs, or the one that was asked did not answer. */
  | { readonly kind: 'unavailable' };
