// The web server's settings: where it listens, under which names it is reached, and its certificate.

import { addressRangeProblem, hostNameProblem, originProblem } from './checks.ts';
import { flag, text, texts } from './declare.ts';
import { listenAddressesAllowed, listenAddressesProblem } from '../listen-address.ts';

const path = 'the path of a PEM file, or empty';

export const web = {
  http: text({
    default: '*:80',
    help: 'Where HTTP is served. While the default is not available, port 8080 or a free one is used.',
    allowed: listenAddressesAllowed,
    check: listenAddressesProblem,
    apply: 'listeners',
    local: true,
  }),
  https: text({
    default: '*:443',
    help:
      'Where HTTPS (HTTP/2 and HTTP/1.1) is served. While the default is not available, port 8443 or a ' +
      'free one is used.',
    allowed: listenAddressesAllowed,
    check: listenAddressesProblem,
    apply: 'listeners',
    local: true,
  }),
  redirect: flag({
    default: false,
    help: 'Whether plain HTTP is answered with a redirect to HTTPS.',
  }),
  basePath: text({
    default: '',
    help: 'The path under which a reverse proxy serves this service; added to links, removed from requests.',
    allowed: 'empty, or a path such as /sluice: with a leading and no trailing slash',
    check: (value) => (/^(\/[A-Za-z0-9._~-]+)*$/.test(value) ? undefined : 'not a path prefix'),
  }),
  trustedProxies: texts({
    default: [],
    help: 'Addresses of reverse proxies whose X-Forwarded-* headers are trusted.',
    allowed: 'addresses or ranges such as 10.0.0.5 or fd00::/64',
    check: addressRangeProblem,
  }),
  hosts: texts({
    default: [],
    help:
      'Further host names under which the service may be reached. Addresses, localhost, names of one ' +
      'label, names under local, lan, home, internal, home.arpa, fritz.box and ts.net, and names under the ' +
      'domains of this machine (of its host name, and its search domains) always may; all others are ' +
      'refused, to keep DNS rebinding out.',
    allowed: 'host names such as dns.example.org',
    check: hostNameProblem,
  }),
  origins: texts({
    default: [],
    help: 'Origins of other web pages that may call the API from a browser.',
    allowed: 'origins such as https://dashboard.example.org',
    check: originProblem,
  }),
  certFile: text({
    default: '',
    help: 'Your own certificate with its chain, reloaded when it changes. Empty: a private CA issues one.',
    allowed: path,
    local: true,
  }),
  keyFile: text({
    default: '',
    help: 'The private key that belongs to web.certFile.',
    allowed: path,
    local: true,
  }),
} as const;
