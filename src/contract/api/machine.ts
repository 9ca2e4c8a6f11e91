// Figures of the machine and the program, in the fields that existing clients read. Parts that this program
// does not have (DHCP, validation by dnsmasq) are zero.

import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import {
  hostExample,
  metricsExample,
  programExample,
  sensorsExample,
  systemExample,
} from './machine-examples.ts';

const Count = Type.Integer();
const Percent = Type.Number({ description: 'In percent' });
const Text = Type.Union([Type.String(), Type.Null()]);
const Degrees = Type.Union([Type.Number(), Type.Null()]);
const Totals = Type.Object({ total: Count, enabled: Count });
const ByVerdict = Type.Object({ allowed: Totals, denied: Totals });
const LoadNumbers = Type.Array(Type.Number(), {
  minItems: 3,
  maxItems: 3,
  description: 'Of 1, 5 and 15 minutes',
});

const System = Type.Object(
  {
    uptime: Type.Integer({ description: 'Seconds' }),
    memory: Type.Object({
      ram: Type.Object(
        { total: Count, free: Count, used: Count, available: Count, '%used': Percent },
        { description: 'In kB' },
      ),
      swap: Type.Object(
        { total: Count, free: Count, used: Count, '%used': Percent },
        { description: 'In kB' },
      ),
    }),
    procs: Type.Integer({ description: 'Processes and threads of the machine' }),
    cpu: Type.Object({
      nprocs: Count,
      '%cpu': Percent,
      load: Type.Object({ raw: LoadNumbers, percent: LoadNumbers }),
    }),
    ftl: Type.Object({ '%mem': Percent, '%cpu': Percent }, { description: 'Share of this program' }),
  },
  { title: 'System' },
);

const Host = Type.Object(
  {
    uname: Type.Object({
      domainname: Type.String(),
      machine: Type.String(),
      nodename: Type.String(),
      release: Type.String(),
      sysname: Type.String(),
      version: Type.String(),
    }),
    model: Text,
    dmi: Type.Object({
      bios: Type.Object({ vendor: Text }),
      board: Type.Object({ name: Text, vendor: Text, version: Text }),
      product: Type.Object({ name: Text, family: Text, version: Text }),
      sys: Type.Object({ vendor: Text }),
    }),
  },
  { title: 'Host' },
);

const Temperature = Type.Object({
  name: Text,
  value: Type.Number(),
  max: Degrees,
  crit: Degrees,
  sensor: Type.String(),
});

const Sensors = Type.Object(
  {
    list: Type.Array(
      Type.Object({
        name: Type.String(),
        path: Type.String(),
        source: Type.String(),
        temps: Type.Array(Temperature),
      }),
    ),
    cpu_temp: Type.Union([Type.Number(), Type.Null()], {
      description: 'Of the processor, if it has a sensor',
    }),
    hot_limit: Type.Number({ description: 'Above this the machine is hot' }),
    unit: Type.Enum(['C', 'F', 'K']),
  },
  { title: 'Sensors' },
);

export const dnsmasqCounts = [
  'dns_cache_inserted',
  'dns_cache_live_freed',
  'dns_queries_forwarded',
  'dns_auth_answered',
  'dns_local_answered',
  'dns_stale_answered',
  'dns_unanswered',
  'dnssec_max_crypto_use',
  'dnssec_max_sig_fail',
  'dnssec_max_work',
  'bootp',
  'pxe',
  'dhcp_ack',
  'dhcp_decline',
  'dhcp_discover',
  'dhcp_inform',
  'dhcp_nak',
  'dhcp_offer',
  'dhcp_release',
  'dhcp_request',
  'noanswer',
  'leases_allocated_4',
  'leases_pruned_4',
  'leases_allocated_6',
  'leases_pruned_6',
  'tcp_connections',
  'dhcp_leasequery',
  'dhcp_lease_unassigned',
  'dhcp_lease_actve',
  'dhcp_lease_unknown',
] as const;

type DnsmasqName = (typeof dnsmasqCounts)[number];

const Dnsmasq = Type.Object(
  // One number for each name.
  Object.fromEntries(dnsmasqCounts.map((name) => [name, Type.Integer()])) as Record<
    DnsmasqName,
    typeof Count
  >,
  { description: 'Counts by the names of dnsmasq, where this program has an equivalent' },
);

const noCounts = Object.fromEntries(dnsmasqCounts.map((name) => [name, 0]));

const Program = Type.Object(
  {
    database: Type.Object({
      gravity: Type.Integer({ description: 'Distinct names of all lists in force' }),
      groups: Type.Integer({ description: 'Enabled ones' }),
      lists: Type.Integer({ description: 'Enabled ones' }),
      clients: Count,
      domains: ByVerdict,
      regex: ByVerdict,
    }),
    privacy_level: Type.Integer({ minimum: 0, maximum: 3 }),
    query_frequency: Type.Number({ description: 'Queries per second, over the last minute' }),
    clients: Type.Object({
      total: Type.Integer({ description: 'Devices that sent queries since the start' }),
      active: Type.Integer({ description: 'Devices that sent queries in the last 24 hours' }),
    }),
    pid: Count,
    uptime: Type.Number({ description: 'Milliseconds' }),
    '%mem': Percent,
    '%cpu': Percent,
    allow_destructive: Type.Boolean(),
    dnsmasq: Dnsmasq,
  },
  { title: 'Program' },
);

const Metrics = Type.Object(
  {
    dns: Type.Object({
      cache: Type.Object({
        size: Type.Integer({ description: 'Maximum number of answers, if they are small' }),
        inserted: Count,
        evicted: Count,
        expired: Type.Integer({ description: 'Expired answers in it' }),
        immortal: Count,
        content: Type.Array(
          Type.Object({
            type: Type.Integer({ description: 'The number of the record type' }),
            name: Type.String(),
            count: Type.Object({ valid: Count, stale: Count }),
          }),
        ),
      }),
      replies: Type.Object({
        local: Type.Integer({ description: 'From the cache, from local records, and blocked' }),
        forwarded: Count,
        optimized: Type.Integer({ description: 'From the cache although expired' }),
        unanswered: Type.Integer({ description: 'Without an answer from an upstream' }),
        auth: Count,
        sum: Type.Integer({
          minimum: 0,
          description:
            "All answers, including those to this program's reverse lookups, which the statistics omit",
        }),
      }),
    }),
    dhcp: Type.Object({
      ack: Count,
      decline: Count,
      discover: Count,
      inform: Count,
      nak: Count,
      offer: Count,
      release: Count,
      request: Count,
      noanswer: Count,
      bootp: Count,
      pxe: Count,
      leases: Type.Object({ allocated_4: Count, pruned_4: Count, allocated_6: Count, pruned_6: Count }),
    }),
  },
  { title: 'DnsMetrics' },
);

const common = { method: 'GET', topic: 'information', access: 'session', errors: [] } as const;

export const machineEndpoints = {
  getSystemInfo: endpoint({
    ...common,
    path: '/api/info/system',
    summary: 'Get memory and load of the machine',
    replies: {
      200: { description: 'As of now', body: Type.Object({ system: System }), example: systemExample },
    },
  }),
  getHostInfo: endpoint({
    ...common,
    path: '/api/info/host',
    summary: 'Get the name and model of the machine',
    replies: {
      200: { description: 'Names and model', body: Type.Object({ host: Host }), example: hostExample },
    },
  }),
  getSensors: endpoint({
    ...common,
    path: '/api/info/sensors',
    summary: 'Get the temperatures of the machine',
    replies: {
      200: { description: 'As of now', body: Type.Object({ sensors: Sensors }), example: sensorsExample },
    },
  }),
  getProgramInfo: endpoint({
    ...common,
    path: '/api/info/ftl',
    summary: 'Get figures of the program',
    replies: {
      200: {
        description: 'As of now',
        body: Type.Object({ ftl: Program }),
        example: { ftl: { ...programExample, dnsmasq: noCounts } },
      },
    },
  }),
  getDnsMetrics: endpoint({
    ...common,
    path: '/api/info/metrics',
    summary: 'Get counts of answers and of cached answers',
    replies: {
      200: {
        description: 'Since the start',
        body: Type.Object({ metrics: Metrics }),
        example: metricsExample,
      },
    },
  }),
} as const;
