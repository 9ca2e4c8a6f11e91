// Builds the plan of the dns workers from settings and machine. A pure function: the same input gives the
// same plan, so an unchanged plan need not be sent.

import type { Settings } from '#contract';
import type { DomainRoute, EngineOptions, ForwarderOptions, ReverseRoute } from '#engine';
import type { DnsPlan } from './dns-plan.ts';
import type { HistoryPlan } from '#history/thread';
import { externalResolvers, type Machine } from '#platform/neighbours';
import { writePolicyPlan, type PolicyPlan } from './policy-plan.ts';

export interface PlanInput {
  readonly settings: Settings;
  /** Whether dns.listen has its default. */
  readonly listensByDefault: boolean;
  /** Addresses of this machine whose port 53 this service does not have, though dns.listen lists them. */
  readonly foreignAddresses: readonly string[];
  readonly machine: Machine;
  readonly productVersion: string;
  /** For clients that discover the API over DNS. */
  readonly apiUrls: ApiUrls;
  readonly loopKey: string;
  readonly policy: PolicyPlan;
}

export interface ApiUrls {
  /** With the listening addresses. */
  readonly local: readonly string[];
  /** With the host name. */
  readonly domain: readonly string[];
}

const ownName = 'sluice.internal';
const megabyte = 1024 * 1024;
const maxInFlight = 4096;

export function buildPlan(input: PlanInput, version: number): DnsPlan {
  const { dns } = input.settings;
  return {
    listen: dns.listen,
    fallsBack: input.listensByDefault,
    workers: dns.workers,
    options: {
      version,
      cacheBytes: dns.cache.megabytes * megabyte,
      isBatched: dns.udp === 'batched',
      engine: engineOptions(input),
      forwarding: forwarderOptions(input),
      ...writePolicyPlan(input.policy),
    },
    history: historyPlan(input.settings),
  };
}

function historyPlan({ database, misc }: Settings): HistoryPlan {
  return {
    privacyLevel: misc.privacylevel,
    leaveOutDomains: database.leaveOut.domains,
    leaveOutClients: database.leaveOut.clients,
    days: Math.max(database.maxDBdays, 1),
    megabytes: database.maxMegabytes,
    blockedDays: database.blockedDays,
    allowedDays: database.allowedDays,
  };
}

function engineOptions({ settings, machine, productVersion, apiUrls }: PlanInput): EngineOptions {
  const { dns } = settings;
  return {
    access: { open: dns.listeningMode === 'ALL', subnets: machine.subnets },
    rateLimit: {
      count: dns.rateLimit.count,
      intervalSeconds: dns.rateLimit.interval,
      exempt: dns.rateLimit.exempt,
      routers: machine.routers,
    },
    strangers: dns.strangers,
    local: {
      records: { hosts: dns.hosts, cnameRecords: dns.cnameRecords, ttlSeconds: dns.localTTL },
      own: { names: [ownName, machine.hostname.toLowerCase()], addresses: machine.addresses },
      special: dns.specialDomains,
      routedZones: routedZones(settings),
      routedNetworks: reverseRoutes(dns.revServers).map(({ network }) => network),
    },
    blocking: {
      mode: dns.blocking.mode,
      edns: dns.blocking.edns,
      ttlSeconds: dns.blockTTL,
      ipv4: dns.reply.blocking.force4 ? dns.reply.blocking.IPv4 : '',
      ipv6: dns.reply.blocking.force6 ? dns.reply.blocking.IPv6 : '',
    },
    cache: {
      minTtlSeconds: dns.cache.minTTL,
      maxTtlSeconds: Math.max(dns.cache.maxTTL, dns.cache.minTTL),
      staleSeconds: dns.cache.optimizer,
      prefetch: dns.cache.prefetch,
    },
    rebind: dns.rebindProtection,
    chaos: {
      version: `sluice ${productVersion}`,
      texts: {
        'local.api.ftl': apiUrls.local,
        'domain.api.ftl': apiUrls.domain,
        'api.ftl': apiUrls.domain,
      },
    },
  };
}

function forwarderOptions({ settings, machine, loopKey, foreignAddresses }: PlanInput): ForwarderOptions {
  const { dns } = settings;
  return {
    upstreams: dns.upstreams,
    system: externalResolvers(machine, dns.listen, foreignAddresses),
    mode: dns.upstreamMode,
    fallback: dns.fallbackUpstreams,
    bootstrap: dns.bootstrap,
    domains: domainRoutes(dns.domainUpstreams),
    reverse: reverseRoutes(dns.revServers),
    maxInFlight,
    mixedCase: dns.upstreamMixedCase,
    loopKey,
  };
}

/** `domain[,domain...] upstream[,upstream...]` */
function domainRoutes(entries: readonly string[]): readonly DomainRoute[] {
  return entries.map((entry) => {
    const [domains = '', upstreams = ''] = entry.split(' ');
    return { domains: domains.split(','), upstreams: upstreams.split(',') };
  });
}

/** `enabled,ip[/len],server[#port][,domain]` */
function reverseRoutes(entries: readonly string[]): readonly ReverseRoute[] {
  return entries
    .map((entry) => entry.split(',').map((part) => part.trim()))
    .filter(([enabled]) => enabled === 'true')
    .map(([, network = '', upstream = '', domain]) => ({
      network,
      upstream,
      domain: domain === undefined || domain === '' ? undefined : domain,
    }));
}

function routedZones({ dns }: Settings): readonly string[] {
  return [
    ...domainRoutes(dns.domainUpstreams).flatMap(({ domains }) => domains),
    ...reverseRoutes(dns.revServers).flatMap(({ domain }) => (domain === undefined ? [] : [domain])),
  ];
}
