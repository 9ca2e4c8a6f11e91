// The door of clients: how they are written, what they are called, and which devices there are.

export { ClientNamer } from './client-namer.ts';
export { type ClientText, readClient, storedClient } from './client-text.ts';
export { DeviceDirectory } from './device-directory.ts';
export { canonicalDomain, shownDomain } from './domain-text.ts';
export { askOwnDns } from './own-dns.ts';
