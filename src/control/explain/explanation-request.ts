// The request of the api thread to a dns worker for an explanation, and its outcome.

import type { Explained, Inquiry } from '#engine';

export interface ExplanationWanted {
  readonly inquiry: Inquiry;
  /** Whether upstreams may be queried. */
  readonly resolves: boolean;
}

export type ExplanationOutcome =
  | { readonly kind: 'explained'; readonly worker: string; readonly explained: Explained }
  /** The worker runs as many explanations as it may. */
  | { readonly kind: 'busy' }
  /** No worker runs, or the one that was asked did not answer. */
  | { readonly kind: 'unavailable' };
