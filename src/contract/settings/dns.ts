// Settings of DNS. Names and text forms that existing clients of this API read and write (hosts,
// cnameRecords, revServers, blocking.*, …) are kept as those clients know them.

import { cnameRecordProblem, hostsEntryProblem, revServerProblem, upstreamProblem } from './dns-records.ts';
import { choice, flag, text, texts, whole } from './declare.ts';
import { listenAddressesAllowed, listenAddressesProblem } from '../listen-address.ts';

export const dns = {
  listen: text({
    default: '*:53',
    help: 'Where DNS is answered, over UDP and TCP.',
    allowed: listenAddressesAllowed,
    check: listenAddressesProblem,
    apply: 'listeners',
    local: true,
  }),
  workers: whole({
    default: 0,
    range: [0, 64],
    help: 'How many threads answer DNS. 0: one fewer than there are cores, from 1 to 4.',
    apply: 'restart',
    local: true,
  }),
  upstreams: texts({
    default: [],
    help: "Whom queries are forwarded to. Empty: the system's own resolvers.",
    allowed: 'an address, address#port, [IPv6]:port, udp://…, tcp://…, tls://… or https://…',
    check: upstreamProblem,
  }),
  hosts: texts({
    default: [],
    help: 'Local address records.',
    allowed: 'IP host [host...]',
    check: hostsEntryProblem,
  }),
  cnameRecords: texts({
    default: [],
    help: 'Local CNAME records.',
    allowed: 'cname[,cname...],target[,TTL]',
    check: cnameRecordProblem,
  }),
  revServers: texts({
    default: [],
    help: 'Conditional forwarding: whom to ask for the names of a network.',
    allowed: 'enabled,ip[/len],server[#port][,domain]',
    check: revServerProblem,
  }),
  blockTTL: whole({
    default: 2,
    range: [0, 86_400],
    help: 'How long clients may keep a blocked answer, in seconds.',
  }),
  blocking: {
    active: flag({ default: true, help: 'Whether anything is blocked.' }),
    mode: choice({
      default: 'NULL',
      choices: ['NULL', 'IP_NODATA_AAAA', 'IP', 'NX', 'NODATA'],
      help: 'How blocked queries are answered.',
    }),
    edns: choice({
      default: 'TEXT',
      choices: ['TEXT', 'CODE', 'NONE'],
      help: 'Whether blocked answers carry an Extended DNS Error (RFC 8914), and whether with a text.',
    }),
  },
  specialDomains: {
    mozillaCanary: flag({ default: true, help: 'Keep Firefox from switching to its own resolver.' }),
    iCloudPrivateRelay: flag({ default: true, help: 'Keep Apple devices from using iCloud Private Relay.' }),
    designatedResolver: flag({ default: true, help: 'Answer resolver.arpa with no data (RFC 9462).' }),
  },
  rateLimit: {
    count: whole({
      default: 1000,
      range: [0, 10_000_000],
      help: 'How many queries a client may ask in dns.rateLimit.interval. 0: any number.',
    }),
    interval: whole({
      default: 60,
      range: [0, 86_400],
      help: 'The interval of dns.rateLimit.count, in seconds.',
    }),
  },
} as const;
