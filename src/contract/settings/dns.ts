// Settings of DNS. Names and text forms that existing clients of this API use (hosts, cnameRecords,
// revServers, blocking.*, …) stay as those clients know them.

import { addressRangeProblem, hostNameProblem } from './checks.ts';
import {
  cnameRecordProblem,
  domainUpstreamProblem,
  hostsEntryProblem,
  plainServerProblem,
  revServerProblem,
  upstreamProblem,
} from './dns-records.ts';
import { choice, flag, text, texts, whole } from './declare.ts';
import { isIpv4Text, parseIpv6Text } from '../ip-text.ts';
import { limits } from '../limits.ts';
import { listenAddressesAllowed, listenAddressesProblem } from '../listen-address.ts';

const upstreamAllowed = 'an address, address#port, [IPv6]:port, udp://…, tcp://…, tls://… or https://…';

export const dns = {
  listen: text({
    default: '*:53',
    help:
      'Where DNS is answered, over UDP and TCP. While the default is not available, port 5300 or a free ' +
      'one is used; routers and phones need 53.',
    allowed: listenAddressesAllowed,
    check: listenAddressesProblem,
    apply: 'listeners',
    local: true,
  }),
  workers: whole({
    default: 0,
    range: [0, limits.dnsWorkers],
    help: 'How many threads answer DNS. 0: one fewer than there are cores, from 1 to 4.',
    apply: 'restart',
    local: true,
  }),
  udp: choice({
    default: 'batched',
    choices: ['batched', 'plain'],
    help: 'How UDP is received and sent: many datagrams per system call, or one at a time.',
    apply: 'restart',
    local: true,
  }),
  listeningMode: choice({
    default: 'LOCAL',
    choices: ['LOCAL', 'ALL'],
    help: "Which clients are answered: loopback, private networks and this machine's own subnets, or all.",
  }),
  upstreams: texts({
    default: [],
    help: "The resolvers that queries are forwarded to. Empty: the system's own resolvers.",
    allowed: upstreamAllowed,
    check: upstreamProblem,
  }),
  upstreamMode: choice({
    default: 'fastest',
    choices: ['fastest', 'strict', 'parallel'],
    help: 'Which upstream is used: the fastest, the first in their order that works, or all at once.',
  }),
  upstreamMixedCase: flag({
    default: true,
    help:
      'Send names to upstreams over UDP in random upper and lower case, which makes replies harder to ' +
      'forge. An upstream that does not return the case gets names in lower case.',
  }),
  fallbackUpstreams: texts({
    default: [],
    help: 'The upstreams that are used when none of dns.upstreams answers.',
    allowed: upstreamAllowed,
    check: upstreamProblem,
  }),
  bootstrap: texts({
    default: [],
    help: 'Resolvers for the addresses of upstreams given by name. Empty: the upstreams given by address.',
    allowed: 'an address, address#port or [IPv6]:port',
    check: plainServerProblem,
  }),
  domainUpstreams: texts({
    default: [],
    help: 'Upstreams for some domains and their subdomains; the most specific domain wins.',
    allowed: 'domain[,domain...] upstream[,upstream...]',
    check: domainUpstreamProblem,
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
    help: 'Conditional forwarding: the server for the names of a network.',
    allowed: 'enabled,ip[/len],server[#port][,domain]',
    check: revServerProblem,
  }),
  localTTL: whole({
    default: 60,
    range: [0, 86_400],
    help: 'How long clients may cache an answer from dns.hosts or dns.cnameRecords, in seconds.',
  }),
  cache: {
    megabytes: whole({
      default: 32,
      range: [1, 4096],
      help: 'How much memory cached answers may use, for all dns workers together.',
      apply: 'restart',
      local: true,
    }),
    minTTL: whole({
      default: 0,
      range: [0, 3600],
      help: 'Minimum time for which answers are cached, in seconds.',
    }),
    maxTTL: whole({
      default: 86_400,
      range: [1, 604_800],
      help: 'Maximum time for which answers are cached, in seconds.',
    }),
    optimizer: whole({
      default: 3600,
      range: [-1, 2_592_000],
      help:
        'How long an expired answer is still served while it is refreshed (RFC 8767), in seconds. 0: ' +
        'without limit. -1: never.',
    }),
    prefetch: flag({
      default: true,
      help: 'Refresh popular names shortly before their answers expire.',
    }),
  },
  rebindProtection: {
    active: flag({
      default: true,
      help: 'Remove private addresses from the answers for public names (protection from DNS rebinding).',
    }),
    exempt: texts({
      default: ['plex.direct'],
      help: 'Domains whose names may have private addresses.',
      allowed: 'a domain',
      check: hostNameProblem,
    }),
  },
  blockTTL: whole({
    default: 2,
    range: [0, 86_400],
    help: 'How long clients may cache a blocked answer, in seconds.',
  }),
  blocking: {
    active: flag({ default: true, help: 'Whether anything is blocked.' }),
    mode: choice({
      default: 'NULL',
      choices: ['NULL', 'IP_NODATA_AAAA', 'IP', 'NX', 'NODATA', 'REFUSED'],
      help: "How blocked queries are answered. IP: with this service's address or dns.reply.blocking.",
    }),
    edns: choice({
      default: 'TEXT',
      choices: ['TEXT', 'CODE', 'NONE'],
      help: 'Whether blocked answers contain an Extended DNS Error (RFC 8914), with or without a text.',
    }),
  },
  reply: {
    blocking: {
      force4: flag({
        default: false,
        help: 'Answer with dns.reply.blocking.IPv4 in the IP modes of blocking.',
      }),
      IPv4: text({
        default: '',
        help: 'The address in blocked answers instead of the address that was queried; needs force4.',
        allowed: 'an IPv4 address, or nothing',
        check: (value) => (value === '' || isIpv4Text(value) ? undefined : 'not an IPv4 address'),
      }),
      force6: flag({
        default: false,
        help: 'Answer with dns.reply.blocking.IPv6 in the IP modes of blocking.',
      }),
      IPv6: text({
        default: '',
        help: 'The address in blocked answers instead of the address that was queried; needs force6.',
        allowed: 'an IPv6 address, or nothing',
        check: (value) =>
          value === '' || parseIpv6Text(value) !== undefined ? undefined : 'not an IPv6 address',
      }),
    },
  },
  specialDomains: {
    mozillaCanary: flag({ default: true, help: 'Keep Firefox from switching to its own resolver.' }),
    iCloudPrivateRelay: flag({ default: true, help: 'Keep Apple devices from using iCloud Private Relay.' }),
    designatedResolver: flag({ default: true, help: 'Answer resolver.arpa with no data (RFC 9462).' }),
  },
  strangers: {
    perSecond: whole({
      default: 5,
      range: [0, 10_000],
      help:
        'How many queries per second of a network (IPv4 /24, IPv6 /56) that is not allowed each dns worker ' +
        'answers with REFUSED over UDP. 0: only those of dns.strangers.slip.',
    }),
    slip: whole({
      default: 10,
      range: [0, 1000],
      help: 'One in this many queries above dns.strangers.perSecond is answered. 0: none.',
    }),
  },
  rateLimit: {
    count: whole({
      default: 1000,
      range: [0, 10_000_000],
      help: 'How many queries a client may send in dns.rateLimit.interval. 0: any number.',
    }),
    interval: whole({
      default: 60,
      range: [0, 86_400],
      help: 'The interval of dns.rateLimit.count, in seconds.',
    }),
    exempt: texts({
      default: [],
      help: 'Clients without a rate limit, such as a router that sends the queries of a whole network.',
      allowed: 'an address or a range (192.168.0.1, 10.0.0.0/8)',
      check: addressRangeProblem,
    }),
  },
} as const;
