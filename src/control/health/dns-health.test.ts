import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Listening } from '#platform/sockets';
import { DnsHealth } from './dns-health.ts';

function place(isAnswered: boolean, ...missing: readonly string[]): Listening['dns'][number] {
  return {
    address: '192.0.2.5',
    port: 53,
    isAnswered,
    missing,
  };
}

const taken: Listening['closed'][number] = {
  setting: 'dns.listen',
  address: '192.0.2.5',
  port: 53,
  wanted: '*:53',
  where: '192.0.2.5:53 (UDP and TCP)',
  kinds: ['udp', 'tcp'],
  code: 'EADDRINUSE',
  reason: 'the port is taken.',
  problem: 'The port is taken.',
};
const webTaken = { ...taken, setting: 'web.http' };

describe('the health of DNS', () => {
  const rows: readonly {
    readonly title: string;
    readonly wanted?: string;
    readonly dns: Listening['dns'];
    readonly closed?: Listening['closed'];
    readonly reason?: RegExp;
    readonly isFailing?: boolean;
  }[] = [
    { title: 'is good when every address is answered', dns: [place(true)] },
    { title: 'is good when DNS is off', wanted: '', dns: [] },
    { title: 'is good when a web address is closed', dns: [place(true)], closed: [webTaken] },
    {
      title: 'is failing when no address is open',
      dns: [],
      closed: [taken],
      reason: /taken/u,
      isFailing: true,
    },
    { title: 'is failing before an address is opened', dns: [], reason: /dns1: it died/u, isFailing: true },
    {
      title: 'is failing when no worker reads from an open socket',
      dns: [place(false, 'dns1')],
      reason: /dns1: it died/u,
      isFailing: true,
    },
    {
      title: 'is degraded when one of the addresses is closed',
      dns: [place(true)],
      closed: [taken],
      reason: /taken/u,
    },
    { title: 'is good while a worker is being replaced', dns: [place(true, 'dns1')] },
  ];
  for (const { title, wanted = '*:53', dns, closed = [], reason, isFailing } of rows)
    it(title, () => {
      const health = new DnsHealth({
        wanted: () => wanted,
        listening: () => ({ closed, dns, replaced: [] }),
        threads: () => [{ name: 'dns1', state: 'waiting', restarts: 1, lastFailure: 'it died' }],
        steadyMs: () => 0,
      });
      const found = health.find();
      if (reason === undefined) return assert.equal(found, undefined);
      assert.match(found?.reason ?? '', reason);
      return assert.equal(found?.isFailing, isFailing);
    });

  it('is degraded when a worker is away for five seconds, until it is back', () => {
    const now = { ms: 0, dns: [place(true, 'dns2')] };
    const health = new DnsHealth({
      wanted: () => '*:53',
      listening: () => ({ closed: [], dns: now.dns, replaced: [] }),
      threads: () => [],
      steadyMs: () => now.ms,
    });
    assert.equal(health.find(), undefined);
    now.ms = 4_999;
    assert.equal(health.find(), undefined);
    now.ms = 5_000;
    assert.match(health.find()?.reason ?? '', /do not answer: dns2/u);
    now.dns = [place(true)];
    assert.equal(health.find(), undefined);
    now.dns = [place(true, 'dns2')];
    assert.equal(health.find(), undefined, 'The five seconds start again.');
  });
});
