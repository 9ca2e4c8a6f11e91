// What happens to the program from outside while it answers: stopped, killed, started again. All starts use
// one data folder. The upstream answers when the test permits it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Service } from '../running/boot.ts';
import { sendQueryWithRetries } from '../running/dns-service.ts';
import { temporaryFolder } from '../running/folder.ts';
import { freePort } from '../running/free-port.ts';
import { until, within } from '../running/waiting.ts';
import { runQuery, runQueries, type Seen } from './support/clients.ts';
import { bootDns } from './support/service.ts';
import { holdAnswers, startNamedUpstream, type Upstream } from './support/upstream.ts';

const ok = 0;
const maxEndMs = 30_000;
const transports = ['+notcp', '+tcp'] as const;
const [dir, port] = [temporaryFolder(), await freePort()];
const server = { address: '127.0.0.1', port };
/** Queries from many ports, so that each worker has the name in its cache. */
const cached = Array.from({ length: 24 }, () => 'kept.example A');

const start = (t: Parameters<typeof bootDns>[0], upstreamPort: number): Promise<Service> =>
  bootDns(t, {
    dir,
    env: {
      SLUICE_DNS_WORKERS: '2',
      SLUICE_DNS_LISTEN: `127.0.0.1:${port}`,
      SLUICE_DNS_HOSTS: '192.0.2.7 nas.lan',
      SLUICE_DNS_UPSTREAMS: `127.0.0.1#${upstreamPort}`,
    },
  });

/** Sends a query for another name over each transport; resolves when the upstream has received both. */
const queryThroughUpstream = async (
  { queriesFor }: Upstream,
  name: string,
): Promise<{ readonly names: readonly string[]; readonly asking: Promise<readonly Seen[]> }> => {
  const names = transports.map((_, index) => `${name}${index}.example`);
  const asking = Promise.all(
    transports.map((option, index) => runQuery('dig', { ...server, options: [option] }, `${names[index]} A`)),
  );
  await until('The upstream has received both queries', () =>
    names.every((one) => queriesFor(one) > 0) ? true : undefined,
  );
  return { names, asking };
};

const assertAnswered = (seen: readonly Seen[], names: readonly string[]): void => {
  for (const [index, { answer, text }] of seen.entries())
    assert.deepEqual(answer, [`${names[index]}. 60 IN A 192.0.2.1`], text);
};

const assertEnded = async ({ ended }: Service): Promise<void> =>
  assert.deepEqual(await within('The service ends', maxEndMs, ended), { code: 0, signal: null });

test('a service that answers DNS', async (t) => {
  await t.test('passes on answers of an upstream that arrive with SIGTERM, over UDP and TCP', async (own) => {
    const { released, release } = holdAnswers();
    const [upstream, slow] = [await startNamedUpstream(own, 0), await startNamedUpstream(own, released)];
    const first = await start(own, upstream.port);
    await runQueries('dig', server, cached);
    await first.stop();
    const service = await start(own, slow.port);
    const { names, asking } = await queryThroughUpstream(slow, 'slow');
    // The signal and the answers both arrive while it is suspended, however busy the machine is.
    service.signal('SIGSTOP');
    service.signal('SIGTERM');
    release();
    await until('The upstream has sent its answers', () =>
      slow.answered() >= names.length ? true : undefined,
    );
    service.signal('SIGCONT');
    assertAnswered(await asking, names);
    await assertEnded(service);
  });

  await t.test('has its cache after a start, and on SIGTERM fails queries without an answer', async (own) => {
    const silent = await startNamedUpstream(own, holdAnswers().released);
    const service = await start(own, silent.port);
    for (const { answer, text } of await runQueries('dig', server, cached))
      assert.match(answer[0] ?? '', /^kept\.example\. \d+ IN A 192\.0\.2\.1$/u, text);
    const { asking } = await queryThroughUpstream(silent, 'never');
    service.signal('SIGTERM');
    for (const { text } of await asking) assert.match(text, /SERVFAIL/u);
    await assertEnded(service);
  });

  await t.test('answers again after it was killed and started', async (own) => {
    const upstream = await startNamedUpstream(own, 0);
    await (await start(own, upstream.port)).kill();
    await start(own, upstream.port);
    assert.equal(await sendQueryWithRetries(port, 'nas.lan'), ok);
  });
});
