// The door of clients: the texts that identify them, their host names, and the devices of the network.

export { ClientNamer } from './client-namer.ts';
export { type ClientText, readClient, storedClient } from './client-text.ts';
export { DeviceDirectory } from './device-directory.ts';
export { canonicalDomain, shownDomain } from './domain-text.ts';
export { lookUpInOwnDns } from './own-dns.ts';
export { UnprotectedClients } from './unprotected-clients.ts';
