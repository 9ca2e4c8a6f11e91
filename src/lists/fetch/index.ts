// The door of fetching: lists from web servers and files, within limits and rights.

export { fetchList, type FetchOptions, nothingKnown } from './fetch-list.ts';
export { createListLookup } from './resolve-server.ts';
export { resolverOrder } from './resolver-order.ts';
