// Finds the addresses of servers of lists without needing our own DNS to be up: a machine often asks the
// resolver that it runs, and then a list could never be fetched before the service answers. Several ways are
// tried one after the other, each for a short time. A name that is blocked by ourselves has no address there
// that is of any use, so the next way is tried too.

import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';

export interface LookupWays {
  /** Whether the machine asks ourselves: then the other ways come first. */
  readonly isSystemOurs: boolean;
  /** Servers that are asked together, in the order in which they are tried; each `address:port`. */
  readonly servers: readonly (readonly string[])[];
}

type SystemLookup = (
  name: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface ListLookupParts {
  /** Asked for with every lookup, because settings and machine change. */
  readonly ways: () => LookupWays;
  readonly system?: SystemLookup;
  readonly wayMs?: number;
}

/** A few of them have to fit into the time that a connection may take. */
const wayMaxMs = 2500;
const serverMs = 1000;
const useless: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

export function createListLookup(parts: ListLookupParts): LookupFunction {
  return (name, options, callback) => {
    void findAddresses(name, parts).then((found) => {
      const wanted = found.filter((one) => isOfFamily(one, options.family));
      const [first] = wanted;
      if (first === undefined) callback(notFound(name), []);
      else if (options.all === true) callback(null, wanted);
      else callback(null, first.address, first.family);
    });
  };
}

/** Never fails. */
async function findAddresses(name: string, parts: ListLookupParts): Promise<readonly LookupAddress[]> {
  const { isSystemOurs, servers } = parts.ways();
  const { system = systemLookup, wayMs = wayMaxMs } = parts;
  const bySystem = (): Promise<readonly LookupAddress[]> => askSystem(name, system, wayMs);
  const directly = servers.map((some) => () => askServers(name, some, wayMs));
  // A name without a dot is known to the machine, if to anybody.
  const isLocal = !name.includes('.') || /(?:^|\.)localhost\.?$/iu.test(name);
  const ways = isSystemOurs && !isLocal ? [...directly, bySystem] : [bySystem, ...directly];
  for (const way of ways) {
    const found = (await way()).filter(({ address }) => !useless.has(address));
    if (found.length > 0) return found;
  }
  return [];
}

/** Nothing when it fails or takes too long. */
function askSystem(name: string, system: SystemLookup, wayMs: number): Promise<readonly LookupAddress[]> {
  return new Promise((resolve) => {
    const tooLong = setTimeout(() => resolve([]), wayMs);
    system(name, { all: true }, (error, addresses) => {
      clearTimeout(tooLong);
      resolve(error === null ? addresses : []);
    });
  });
}

/** Both families at once; what one of them lacks does not spoil the other. */
async function askServers(
  name: string,
  servers: readonly string[],
  wayMs: number,
): Promise<readonly LookupAddress[]> {
  const resolver = new Resolver({ timeout: serverMs, tries: 1 });
  try {
    resolver.setServers(servers);
  } catch {
    // An address with a zone, which is nothing for this resolver.
    return [];
  }
  const tooLong = setTimeout(() => resolver.cancel(), wayMs);
  const asked = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  clearTimeout(tooLong);
  return asked.flatMap((outcome, at) =>
    outcome.status === 'rejected'
      ? []
      : outcome.value.map((address) => ({ address, family: at === 0 ? 4 : 6 })),
  );
}

const isOfFamily = (found: LookupAddress, wanted: LookupOptions['family']): boolean => {
  if (wanted === undefined || wanted === 0) return true;
  return found.family === (wanted === 'IPv4' ? 4 : wanted === 'IPv6' ? 6 : wanted);
};

const notFound = (name: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`nobody knows the address of ${name}`), { code: 'ENOTFOUND' });
