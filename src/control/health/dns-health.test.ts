import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Listening } from '#platform/sockets';
import { DnsHealth } from './dns-health.ts';

const place = (isAnswered: boolean, ...missing: readonly string[]): Listening['dns'][number] => ({
  address: '192.0.2.5',
  port: 53,
  isAnswered,
  missing,
});
const taken = { setting: 'dns.listen', address: '*', port: 53, problem: 'The port is taken.' };
const webTaken = { ...taken, setting: 'web.http', problem: 'The web port is taken.' };

describe('the health of DNS', () => {
  const rows: readonly {
    readonly title: string;
    readonly wanted?: string;
    readonly dns: Listening['dns'];
    readonly closed?: Listening['closed'];
    readonly reason?: RegExp;
    readonly isFailing?: boolean;
  }[] = [
    { title: 'answered everywhere is fine', dns: [place(true)] },
    { title: 'switched off is fine', wanted: '', dns: [] },
    { title: 'a closed web address is no matter of DNS', dns: [place(true)], closed: [webTaken] },
    { title: 'no address open fails', dns: [], closed: [taken], reason: /taken/u, isFailing: true },
    { title: 'nothing opened fails', dns: [], reason: /dns1: it died/u, isFailing: true },
    {
      title: 'open and read by nobody fails',
      dns: [place(false, 'dns1')],
      reason: /dns1: it died/u,
      isFailing: true,
    },
    { title: 'one address closed is degraded', dns: [place(true)], closed: [taken], reason: /taken/u },
    { title: 'a worker that is being replaced is fine', dns: [place(true, 'dns1')] },
  ];
  for (const { title, wanted = '*:53', dns, closed = [], reason, isFailing } of rows)
    it(title, () => {
      const health = new DnsHealth({
        wanted: () => wanted,
        listening: () => ({ closed, dns }),
        threads: () => [{ name: 'dns1', state: 'waiting', restarts: 1, lastFailure: 'it died' }],
        steadyMs: () => 0,
      });
      const found = health.find();
      if (reason === undefined) return assert.equal(found, undefined);
      assert.match(found?.reason ?? '', reason);
      return assert.equal(found?.isFailing, isFailing);
    });

  it('a worker that stays away for five seconds is degraded, until it is back', () => {
    const now = { ms: 0, dns: [place(true, 'dns2')] };
    const health = new DnsHealth({
      wanted: () => '*:53',
      listening: () => ({ closed: [], dns: now.dns }),
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
    assert.equal(health.find(), undefined, 'It counts anew.');
  });
});
