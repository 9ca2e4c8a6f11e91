// What a process and its successor say to each other while one takes over from the other, in this order:
// `dns` (the successor answers queries), `databases` (the predecessor has closed them), `ready` (the
// successor serves everything), `yours` (the predecessor leaves). `failed` can come at any time before
// `ready`.

export type FromSuccessor =
  | { readonly kind: 'dns' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly problem: string };

export type FromPredecessor = { readonly kind: 'databases' } | { readonly kind: 'yours' };

export const isFromSuccessor = (message: unknown): message is FromSuccessor =>
  typeof message === 'object' &&
  message !== null &&
  'kind' in message &&
  (message.kind === 'dns' || message.kind === 'ready' || message.kind === 'failed');

export const isFromPredecessor = (message: unknown): message is FromPredecessor =>
  typeof message === 'object' &&
  message !== null &&
  'kind' in message &&
  (message.kind === 'databases' || message.kind === 'yours');
