// The resolvers that the system itself would ask: used when no upstream is set. Our own addresses are left
// out, because a machine that serves DNS is often its own client.

import { Resolver } from 'node:dns';
import { parseUpstream } from './parse-upstream.ts';

/** As upstream texts. A new resolver reads the system's settings anew each time. */
export const systemResolvers = (isOurs: (address: string, port: number) => boolean): string[] =>
  withoutOurs(new Resolver().getServers(), isOurs);

export const withoutOurs = (
  servers: readonly string[],
  isOurs: (address: string, port: number) => boolean,
): string[] =>
  servers.filter((text) => {
    const address = parseUpstream(text);
    return address !== undefined && address.isAddress && !isOurs(address.host, address.port);
  });
