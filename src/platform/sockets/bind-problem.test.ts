// The message for each error code when an address cannot be bound.

import assert from 'node:assert/strict';
import test from 'node:test';
import { bindProblem } from './bind-problem.ts';
import type { ListenAddress } from '#contract';

const ipv4: ListenAddress = { family: 'ipv4', host: '0.0.0.0', zone: '', port: 80 };
const linkLocal: ListenAddress = { family: 'ipv6', host: 'fe80::1', zone: 'eth9', port: 8080 };

const table: readonly (readonly [address: ListenAddress, code: string, problem: string])[] = [
  [
    ipv4,
    'EADDRINUSE',
    'web.http: cannot listen on 0.0.0.0:80: the port is taken by another program (EADDRINUSE). ' +
      'Free it or choose another port.',
  ],
  [
    ipv4,
    'EACCES',
    'web.http: cannot listen on 0.0.0.0:80: ports below 1024 need root or the capability ' +
      'CAP_NET_BIND_SERVICE (EACCES). Grant it, or choose a port from 1024 on.',
  ],
  [
    linkLocal,
    'EACCES',
    "web.http: cannot listen on [fe80::1%eth9]:8080: the system's security policy forbids it (EACCES). " +
      'Allow it there or choose another port.',
  ],
  [
    ipv4,
    'EADDRNOTAVAIL',
    'web.http: cannot listen on 0.0.0.0:80: no interface has this address (EADDRNOTAVAIL). ' +
      'Choose one that this machine has, or *.',
  ],
  [
    linkLocal,
    'ENODEV',
    'web.http: cannot listen on [fe80::1%eth9]:8080: there is no interface named eth9 (ENODEV). ' +
      'Choose an interface of this machine.',
  ],
  [
    linkLocal,
    'EAFNOSUPPORT',
    'web.http: cannot listen on [fe80::1%eth9]:8080: this machine has no IPv6 (EAFNOSUPPORT). ' +
      'Choose another address.',
  ],
  [
    ipv4,
    'EMFILE',
    'web.http: cannot listen on 0.0.0.0:80: too many files are open (EMFILE). ' +
      'Raise the limit of open files (ulimit -n, LimitNOFILE).',
  ],
  [
    ipv4,
    'EINVAL',
    'web.http: cannot listen on 0.0.0.0:80: the system refuses it (EINVAL). Choose another address or port.',
  ],
];

for (const [address, code, problem] of table) {
  test(`${code} on port ${address.port}`, () =>
    assert.equal(bindProblem('web.http', address, code), problem));
}
