// Who holds a port: by the real tables of this machine, and by a made folder for what depends on rights.

import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { parseListenAddresses, type ListenAddress } from '#contract';
import { findPortHolders } from './port-holder.ts';
import { parseSocketTable } from './socket-table.ts';

const root = mkdtempSync(join(tmpdir(), 'sluice-holders-'));
after(() => rmSync(root, { recursive: true }));

function addressOf(text: string): ListenAddress {
  const parsed = parseListenAddresses(text);
  const [address] = parsed.ok ? parsed.addresses : [];
  return address ?? assert.fail(text);
}

const head =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt  uid  timeout inode\n';
function line(local: string, state: string, uid: number, inode: number): string {
  const others = '00000000:00000000 00:00000000 00000000';
  return `   0: ${local} 00000000:0000 ${state} ${others} ${uid} 0 ${inode} 2 0 0\n`;
}

describe('a table of sockets', () => {
  const rows = [
    ['tcp', '3500007F:0035', '0A', { family: 'ipv4', address: '127.0.0.53', port: 53 }],
    ['udp', '00000000:14B4', '07', { family: 'ipv4', address: '0.0.0.0', port: 5300 }],
    ['tcp6', '00000000000000000000000000000000:0050', '0A', { family: 'ipv6', address: '::', port: 80 }],
    [
      'udp6',
      'B80D0120000000000000000001000000:0035',
      '07',
      { family: 'ipv6', address: '2001:db8::1', port: 53 },
    ],
    [
      'tcp6',
      '0000000000000000FFFF00000100007F:0035',
      '0A',
      { family: 'ipv4', address: '127.0.0.1', port: 53 },
    ],
  ] as const;
  for (const [table, local, state, expected] of rows)
    it(`${table} ${local} is ${expected.address}`, () =>
      assert.deepEqual(parseSocketTable(head + line(local, state, 7, 99), table), [
        { ...expected, uid: 7, inode: 99 },
      ]));

  it('leaves out connections of TCP and lines that cannot be read', () => {
    const text = `${head}${line('0100007F:0050', '01', 0, 1)}garbage\n\n`;
    assert.deepEqual(parseSocketTable(text, 'tcp'), []);
  });
});

describe('the holder of a port', () => {
  it('is this process for its own sockets', async (t) => {
    const [tcp, udp] = [createServer().listen(0, '::'), createSocket('udp4').bind(0, '127.0.0.1')];
    t.after(() => void tcp.close());
    t.after(() => void udp.close());
    await Promise.all([once(tcp, 'listening'), once(udp, 'listening')]);
    const bound = tcp.address();
    assert.ok(typeof bound === 'object' && bound !== null);
    const found = findPortHolders([
      { address: addressOf(`127.0.0.1:${bound.port}`), kinds: ['tcp'] },
      { address: addressOf(`*:${udp.address().port}`), kinds: ['udp', 'tcp'] },
      { address: addressOf(`127.0.0.2:${udp.address().port}`), kinds: ['udp'] },
      { address: addressOf(`127.0.0.1:${udp.address().port}`), kinds: ['tcp'] },
    ]);
    assert.deepEqual(
      found.map((holder) => holder?.pid),
      [process.pid, process.pid, undefined, undefined],
    );
    assert.deepEqual([found[2], found[3]], [undefined, undefined]);
    assert.notEqual(found[0]?.name, '');
  });

  /** A /proc with one process that has socket 41 open, and with a socket of which no process is visible. */
  function madeProc(): string {
    const proc = mkdtempSync(join(root, 'proc-'));
    mkdirSync(join(proc, 'net'));
    mkdirSync(join(proc, '812', 'fd'), { recursive: true });
    const own = line('0100000A:0035', '0A', 0, 41);
    writeFileSync(join(proc, 'net', 'tcp'), head + line('00000000:0035', '0A', 123_456, 40) + own);
    symlinkSync('socket:[41]', join(proc, '812', 'fd', '3'));
    writeFileSync(join(proc, '812', 'comm'), 'systemd-resolve\n');
    writeFileSync(join(proc, '812', 'cmdline'), '/usr/lib/systemd/systemd-resolved\0');
    return proc;
  }

  const rows = [
    ['10.0.0.1:53', { pid: 812, name: 'systemd-resolved', user: 'root' }],
    ['10.0.0.2:53', { pid: undefined, name: undefined, user: '123456' }],
    ['[2001:db8::1]:53', undefined],
    ['10.0.0.1:54', undefined],
  ] as const;
  for (const [text, expected] of rows)
    it(`of ${text} is ${expected?.name ?? expected?.user ?? 'unknown'}`, () => {
      const [found] = findPortHolders([{ address: addressOf(text), kinds: ['tcp'] }], madeProc());
      assert.deepEqual(found, expected);
    });

  it('is unknown where the system has no such tables', () => {
    const question = { address: addressOf('*:53'), kinds: ['udp'] } as const;
    assert.deepEqual(findPortHolders([question], join(root, 'missing')), [undefined]);
  });
});
