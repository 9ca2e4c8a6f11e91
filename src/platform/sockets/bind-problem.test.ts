// The message for each error code when an address cannot be bound.

import assert from 'node:assert/strict';
import test from 'node:test';
import { bindProblem, bindReason } from './bind-problem.ts';
import type { PortHolder } from './port-holder.ts';
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
      'CAP_NET_BIND_SERVICE, which this process does not have (EACCES). Run it as the systemd service ' +
      `(docs/operating.md), or run \`sudo setcap cap_net_bind_service=+ep ${process.execPath}\` ` +
      'and start it again, or choose a port from 1024 on.',
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

const dns: ListenAddress = { family: 'ipv4', host: '192.0.2.5', zone: '', port: 53 };
const stub: ListenAddress = { ...dns, host: '127.0.0.53' };
const taken = 'the port is taken by another program';
const stubRemedy = /stub listener of systemd-resolved\. Put DNSStubListener=no into .*resolved\.conf/u;

const holders: readonly (readonly [what: string, ListenAddress, PortHolder, expected: RegExp | string])[] = [
  [
    'a program of which everything is known',
    dns,
    { pid: 812, name: 'dnsmasq', user: 'root' },
    `${taken}, dnsmasq, process 812 (EADDRINUSE). Stop it or choose another port.`,
  ],
  [
    'a program of another user',
    dns,
    { pid: undefined, name: undefined, user: 'unbound' },
    `${taken}, of the user unbound (EADDRINUSE). \`sudo ss -lptun sport = :53\` shows which. ` +
      'Free the port or choose another one.',
  ],
  [
    'this process',
    dns,
    { pid: process.pid, name: 'sluice', user: 'root' },
    'another setting of this service has the port already (EADDRINUSE). Choose another port.',
  ],
  ['systemd-resolved by its name', dns, { pid: 9, name: 'systemd-resolved', user: 'root' }, stubRemedy],
  [
    'systemd-resolved by its user',
    dns,
    { pid: undefined, name: undefined, user: 'systemd-resolve' },
    stubRemedy,
  ],
  ['systemd-resolved by its address', stub, { pid: undefined, name: undefined, user: '101' }, stubRemedy],
  [
    'another program on the address of the stub',
    stub,
    { pid: 9, name: 'named', user: 'bind' },
    /named, process 9/u,
  ],
];

for (const [what, address, holder, expected] of holders) {
  test(`a port that is held by ${what}`, () => {
    const reason = bindReason(address, 'EADDRINUSE', holder);
    if (typeof expected === 'string') assert.equal(reason, expected);
    else assert.match(reason, expected);
  });
}
