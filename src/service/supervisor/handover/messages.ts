// Messages between a process and its successor during a handover, in this order: `dns` (the successor answers
// queries), `databases` (the predecessor has closed them), `ready` (the successor serves everything),
// `released` (the predecessor gives up the service), `in charge` (the successor confirms: the predecessor may
// exit). `failed` may come at any time before `ready`. `alive` comes every second: a start may take long, but
// a silent successor is dead.

export type FromSuccessor =
  | { readonly kind: 'alive' }
  | { readonly kind: 'dns' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'in charge' }
  | { readonly kind: 'failed'; readonly problem: string };

export type FromPredecessor = { readonly kind: 'databases' } | { readonly kind: 'released' };

const fromSuccessor: ReadonlySet<unknown> = new Set(['alive', 'dns', 'ready', 'in charge', 'failed']);
const fromPredecessor: ReadonlySet<unknown> = new Set(['databases', 'released']);

export function isFromSuccessor(message: unknown): message is FromSuccessor {
  return isOfKind(message, fromSuccessor);
}

export function isFromPredecessor(message: unknown): message is FromPredecessor {
  return isOfKind(message, fromPredecessor);
}

function isOfKind(message: unknown, kinds: ReadonlySet<unknown>): boolean {
  return typeof message === 'object' && message !== null && 'kind' in message && kinds.has(message.kind);
}
