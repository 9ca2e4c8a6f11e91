// When DNS leaves its usual port, with made rows and with real sockets.

import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { loadLibc } from '#platform/sockets';
import { createLog } from '#platform/log';
import { DnsService } from './dns-service.ts';
import { isReachable } from './fallback-ports.ts';

const any = { family: 'both', host: '*', zone: '', port: 53 } as const;

describe('a wildcard listen address', () => {
  const rows: readonly (readonly [
    title: string,
    open: readonly string[],
    closed: readonly string[],
    isReachable: boolean,
  ])[] = [
    ['is reachable when everything is open', ['127.0.0.1', '192.0.2.5', '::1'], [], true],
    ['is reachable when loopback alone is taken', ['192.0.2.5'], ['127.0.0.1:53'], true],
    ['is reachable when one of two networks is taken', ['192.0.2.5'], ['192.168.122.1:53'], true],
    ['is not reachable when all networks are taken', ['127.0.0.1', '::1'], ['192.0.2.5:53'], false],
    ['is not reachable over IPv6 alone', ['2001:db8::1', 'fe80::1%eth0'], ['192.0.2.5:53'], false],
    ['is reachable over IPv6 where there is no IPv4', ['127.0.0.1', '2001:db8::1'], ['[::1]:53'], true],
    ['is reachable on a machine with loopback alone', ['127.0.0.1'], ['[::1]:53'], true],
    ['is not reachable when nothing is open', [], ['127.0.0.1:53'], false],
    ['is not reachable without any address', [], [], false],
  ];
  for (const [title, open, closed, expected] of rows)
    it(title, () => {
      const row = { transport: 'udp', wanted: '*:53' } as const;
      const listening = {
        open: open.map((address) => ({ ...row, id: 1, family: 'ipv4' as const, address, port: 53, fds: [] })),
        closed: closed.map((address) => ({ ...row, address, code: 'EADDRINUSE', problem: '' })),
      };
      assert.equal(isReachable(any, listening), expected);
    });
});

for (const [kind, libc] of [
  ['descriptors', loadLibc()],
  ['plain addresses', undefined],
] as const)
  describe(`DnsService with ${kind}`, () => {
    it('answers on another port until the usual one is free, also after a restart', async (t) => {
      const other = createSocket('udp4').bind(0, '127.0.0.1');
      let isTaken = true;
      const release = async (): Promise<void> => {
        if (isTaken) await new Promise<void>((resolve) => other.close(() => resolve()));
        isTaken = false;
      };
      t.after(release);
      await once(other, 'listening');
      const { port } = other.address();
      const wanted = `127.0.0.1:${port}`;
      const lines: string[] = [];
      const first = createService(libc, lines);
      t.after(() => first.close());
      assert.equal(await first.listen(wanted, 'start with fallback'), undefined);
      const { replaced } = first.listening;
      const used = replaced[0]?.port ?? 0;
      assert.deepEqual(replaced, [{ setting: 'dns.listen', wanted, port: used }]);
      // Its TCP port is free and open.
      assert.deepEqual(portsOf(first), new Set([port, used]));
      assert.match(first.listening.closed[0]?.problem ?? '', /\(UDP\): the port is taken/u);

      const second = createService(libc, lines, first.inheritable);
      assert.equal(await second.listen(wanted, 'start with fallback'), undefined);
      assert.deepEqual(second.listening.replaced, replaced);
      assert.deepEqual(idsOf(second), idsOf(first));

      assert.equal(await first.rescan(), false);
      await release();
      assert.equal(await first.rescan(), true);
      assert.deepEqual([portsOf(first), first.listening.replaced], [new Set([port]), []]);
      assert.deepEqual(first.listening.closed, []);
      assert.deepEqual(lines, [
        `dns.listen: ${wanted} is available now and has been opened. Port ${used} is closed again.`,
      ]);
    });
  });

function createService(
  libc: ReturnType<typeof loadLibc>,
  lines: string[],
  inherited: ConstructorParameters<typeof DnsService>[1] = [],
): DnsService {
  const log = createLog({
    thread: 'main',
    write: (line) => lines.push(/main: (.*)\n/u.exec(line)?.[1] ?? line),
    level: () => 'info',
    format: 'text',
    nowMs: () => 0,
  });
  const folders = { entry: new URL('file:///missing.js'), dataDir: '/missing', compileCacheDir: '/missing' };
  const memory = async () => assert.fail('Without a plan no worker starts.');
  return new DnsService(
    { ...folders, libc, log, memory, nowMs: () => 0, onStatus: () => undefined },
    inherited,
  );
}

function portsOf({ listening }: DnsService): ReadonlySet<number> {
  return new Set(listening.dns.map(({ port }) => port));
}

function idsOf({ inheritable }: DnsService): readonly number[] {
  return inheritable.map(({ id }) => id);
}
