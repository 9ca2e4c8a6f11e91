// Without dns.upstreams the service queries the system's resolvers, but never itself. If there is no other
// resolver, all queries fail at once. The stub resolver that many systems run on 127.0.0.53 is another
// resolver, and the service finds it while it runs.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { temporaryFolder } from '../running/folder.ts';
import { noNamespace } from '../running/namespace.ts';
import { until } from '../running/waiting.ts';
import { runQuery } from './support/clients.ts';
import { openNetwork } from './support/network.ts';
import { startDnsmasq } from './support/resolvers.ts';
import { bootDns } from './support/service.ts';

/** Runs a command that sees this file as /etc/resolv.conf. */
const withResolvConf = (file: string): readonly string[] => [
  'unshare',
  '-m',
  'sh',
  '-c',
  `mount --bind ${file} /etc/resolv.conf && exec "$@"`,
  'sh',
];

test(
  'without dns.upstreams the resolvers of the system are queried, except the service itself',
  { skip: noNamespace },
  async (t) => {
    const { wrap } = await openNetwork(t, ['192.168.77.1/24']);
    const file = join(temporaryFolder(), 'resolv.conf');
    writeFileSync(file, 'nameserver 127.0.0.1\nnameserver 192.168.77.1\nnameserver ::1\n');
    await startDnsmasq(t, { wrap, address: '127.0.0.53', port: 53 });
    const service = await bootDns(t, {
      wrap: [...wrap, ...withResolvConf(file)],
      env: { SLUICE_DNS_LISTEN: '*:53' },
    });
    const server = { address: '192.168.77.1', port: 53, wrap };

    const alone = await runQuery('dig', server, 'host.masq.example A');
    assert.deepEqual([alone.status, alone.extendedErrors], ['SERVFAIL', [14]], alone.text);
    assert.match(alone.text, /no upstream is set, see dns\.upstreams/u);
    assert.equal((await runQuery('dig', server, 'localhost A')).status, 'NOERROR');

    writeFileSync(file, 'nameserver 127.0.0.1\nnameserver 127.0.0.53\n');
    await until('The stub answers', async () => {
      const { answer } = await runQuery('dig', server, 'host.masq.example A');
      return answer.join() === 'host.masq.example. 90 IN A 203.0.113.20' ? true : undefined;
    });
    assert.doesNotMatch(service.log(), / a loop/u);
  },
);
