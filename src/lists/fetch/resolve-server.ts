// Resolves the host names of list servers even while Sluice does not answer DNS yet. Many machines use Sluice
// as their resolver; with the system resolver alone they could not fetch a list before DNS is up. The stages
// of `resolver-order.ts` are tried one after the other, each with a short timeout. A stage that returns no
// usable address (a blocked name resolves to 0.0.0.0) counts as failed.

import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';

export interface ResolverOrder {
  /** Whether the system resolver is Sluice: then it is tried last. */
  readonly isSystemSluice: boolean;
  /** One stage after the other; the servers of a stage (`address:port`) are queried together. */
  readonly servers: readonly (readonly string[])[];
}

type SystemLookup = (
  name: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface ListLookupParts {
  /** Called at every lookup, because settings and machine change. */
  readonly order: () => ResolverOrder;
  readonly system?: SystemLookup;
  readonly stageMs?: number;
}

/** Several stages have to fit into the connect timeout. */
const maxStageMs = 2500;
const serverMs = 1000;
/** Answers for blocked names. */
const unusable: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

export function createListLookup(parts: ListLookupParts): LookupFunction {
  return (name, options, callback) => {
    void resolveAddresses(name, parts).then((found) => {
      const wanted = found.filter((one) => isOfFamily(one, options.family));
      const [first] = wanted;
      if (first === undefined) callback(notFound(name), []);
      else if (options.all === true) callback(null, wanted);
      else callback(null, first.address, first.family);
    });
  };
}

/** Never fails. */
async function resolveAddresses(name: string, parts: ListLookupParts): Promise<readonly LookupAddress[]> {
  const { isSystemSluice, servers } = parts.order();
  const { system = systemLookup, stageMs = maxStageMs } = parts;
  const bySystem = (): Promise<readonly LookupAddress[]> => querySystem(name, system, stageMs);
  const directly = servers.map((stage) => () => queryServers(name, stage, stageMs));
  // Names without a dot are usually known only to the machine, for example from /etc/hosts.
  const isLocal = !name.includes('.') || /(?:^|\.)localhost\.?$/iu.test(name);
  const stages = isSystemSluice && !isLocal ? [...directly, bySystem] : [bySystem, ...directly];
  for (const query of stages) {
    const found = (await query()).filter(({ address }) => !unusable.has(address));
    if (found.length > 0) return found;
  }
  return [];
}

/** Empty when the lookup fails or times out. */
function querySystem(name: string, system: SystemLookup, stageMs: number): Promise<readonly LookupAddress[]> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve([]), stageMs);
    system(name, { all: true }, (error, addresses) => {
      clearTimeout(timer);
      resolve(error === null ? addresses : []);
    });
  });
}

/** Queries A and AAAA in parallel; a failure of one does not affect the other. */
async function queryServers(
  name: string,
  servers: readonly string[],
  stageMs: number,
): Promise<readonly LookupAddress[]> {
  const resolver = new Resolver({ timeout: serverMs, tries: 1 });
  try {
    resolver.setServers(servers);
  } catch {
    // Node's resolver rejects IPv6 addresses with a zone.
    return [];
  }
  const timer = setTimeout(() => resolver.cancel(), stageMs);
  const outcomes = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  clearTimeout(timer);
  return outcomes.flatMap((outcome, at) =>
    outcome.status === 'rejected'
      ? []
      : outcome.value.map((address) => ({ address, family: at === 0 ? 4 : 6 })),
  );
}

function isOfFamily(found: LookupAddress, wanted: LookupOptions['family']): boolean {
  if (wanted === undefined || wanted === 0) return true;
  return found.family === (wanted === 'IPv4' ? 4 : wanted === 'IPv6' ? 6 : wanted);
}

function notFound(name: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`no resolver knows the address of ${name}`), { code: 'ENOTFOUND' });
}
