// The light door of lists: what its folders share and others need without loading any of them.

export { fetchLimits, type FetchLimits } from './list-limits.ts';
export { withoutSecrets } from './shown-address.ts';
