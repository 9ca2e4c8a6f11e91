// The light door of lists: what other rooms need without loading the folders of this room.

export { fetchLimits, type FetchLimits } from './list-limits.ts';
export { withoutSecrets } from './shown-address.ts';
