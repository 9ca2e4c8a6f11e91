// DNS settings change or are refused while a client sends queries all the time: every query is answered.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { runQueries, type Server } from './support/clients.ts';
import { underLoad } from './support/load.ts';
import { assertNoThreadDied, bootDns, mustSetDns, portOf, setDns } from './support/service.ts';
import { startNamedUpstream } from './support/upstream.ts';

const rounds = 50;
const perSecond = 400;

test('a client that sends 400 queries a second gets every answer', async (t) => {
  const [one, two] = [await startNamedUpstream(t, 5), await startNamedUpstream(t, 5)];
  const service = await bootDns(t, { env: { SLUICE_DNS_WORKERS: '4', SLUICE_DNS_LISTEN: undefined } });
  await mustSetDns(service, {
    listen: '127.0.0.1:0',
    hosts: ['192.0.2.7 nas.lan'],
    upstreams: [`127.0.0.1#${one.port}`],
  });
  const server: Server = { address: '127.0.0.1', port: await portOf(service) };
  const load = { port: server.port, perSecond, names: ['nas.lan', 'cached.example', 'n#.example'] };

  await t.test('while local records change', () =>
    underLoad(service, load, async () => {
      for (let round = 1; round <= rounds; round++) {
        await mustSetDns(service, { hosts: ['192.0.2.7 nas.lan', `10.0.0.${round} turn.lan`] });
        for (const { answer } of await runQueries('dig', server, ['turn.lan A', 'turn.lan A', 'turn.lan A']))
          assert.deepEqual(answer, [`turn.lan. 60 IN A 10.0.0.${round}`]);
      }
    }),
  );

  await t.test('while the upstream changes', () =>
    underLoad(service, load, async () => {
      for (const [turn, upstream] of [two, one, two].entries()) {
        await mustSetDns(service, { upstreams: [`127.0.0.1#${upstream.port}`] });
        const questions = Array.from({ length: 20 }, (_, index) => `u${turn}-${index}.example A`);
        await runQueries('dig', server, questions);
        const other = upstream === two ? one : two;
        const asked = [upstream, other].map(({ namesQueried }) => namesQueried(`u${turn}-*`));
        assert.deepEqual(asked, [questions.length, 0], 'Queries to the new and to the old upstream.');
      }
    }),
  );

  await t.test('while changes of dns.listen are made or refused', () =>
    underLoad(service, load, async () => {
      await mustSetDns(service, { listen: `127.0.0.1:${server.port},127.0.0.2:${server.port}` });
      await mustSetDns(service, { listen: `127.0.0.1:${server.port}` });
      for (const listen of ['203.0.113.99:5353', `127.0.0.1:${server.port},203.0.113.99:5353`])
        assert.equal((await setDns(service, { listen })).status, 402);
    }),
  );
  await assertNoThreadDied(service);
});
