// The door to what the folders of lists share: limits, and the outcome of a fetch.

export { fetchLimits, type FetchLimits } from './list-limits.ts';
