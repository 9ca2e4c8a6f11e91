// DNS that is not listened for: what stands in for the keeper of DNS sockets where there is none.

import type { DnsSocketsKeeper } from './dns-service.ts';

export const noDnsSockets: DnsSocketsKeeper = {
  sockets: [],
  closed: [],
  open: () => undefined,
  rescan: () => false,
  adopt: () => undefined,
  close: () => undefined,
};
