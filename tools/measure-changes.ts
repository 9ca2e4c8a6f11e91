// `npm run measure:changes [-- clients rules]`: measures how long a change takes on a large installation
// until it is in force, and how long it takes to delete a group that most entries are in. The limit is half a
// second each; the command line times out after five seconds.

import { boot, type Service } from '../test/running/boot.ts';
import { at } from '../test/running/reply.ts';

const [clientCount = 9_000, ruleCount = 15_000] = process.argv.slice(2).map(Number);
const perRequest = 1_000;
const limitMs = 500;
const rounds = 5;
const timeoutMs = 60_000;

async function send(service: Service, method: string, path: string, body?: object): Promise<unknown> {
  const reply = await service.call(method, path, { maxMs: timeoutMs, ...(body && { body }) });
  if (reply.status >= 300)
    throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body;
}

function addressOf(index: number): string {
  return `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
}

async function fill(service: Service, group: unknown): Promise<void> {
  const clients = Array.from({ length: clientCount }, (_, index) => addressOf(index));
  const rules = Array.from({ length: ruleCount }, (_, index) => `host-${index}.example`);
  for (let from = 0; from < clients.length; from += perRequest)
    await send(service, 'POST', '/api/clients', {
      client: clients.slice(from, from + perRequest),
      groups: [0, group],
    });
  for (let from = 0; from < rules.length; from += perRequest)
    await send(service, 'POST', '/api/domains/deny/exact', {
      domain: rules.slice(from, from + perRequest),
      groups: [0, group],
    });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

async function measure(service: Service): Promise<readonly (readonly [string, number])[]> {
  const group = at(await send(service, 'POST', '/api/groups', { name: 'many' }), 'groups', 0, 'id');
  await fill(service, group);
  const worst = async (work: (round: number) => Promise<unknown>): Promise<number> => {
    let most = 0;
    for (let round = 0; round < rounds; round++) most = Math.max(most, await timed(() => work(round)));
    return most;
  };
  const rule = await worst((round) =>
    send(service, 'POST', '/api/domains/deny/exact', { domain: `new-${round}.example` }),
  );
  const client = await worst((round) =>
    send(service, 'PATCH', '/api/clients/10.0.0.1', { comment: `number ${round}` }),
  );
  const switched = await worst((round) =>
    send(service, 'PATCH', '/api/groups/many', { enabled: round % 2 === 1 }),
  );
  const deleted = await timed(() => send(service, 'DELETE', '/api/groups/many'));
  return [
    ['a rule is added', rule],
    ['a client is changed', client],
    ['a group is switched', switched],
    ['the group is deleted', deleted],
  ];
}

const service = await boot({
  env: { SLUICE_WEB_HTTPS: '', SLUICE_DNS_LISTEN: '127.0.0.1:0', SLUICE_DNS_UPSTREAMS: '127.0.0.1#9' },
});
try {
  console.log(`${clientCount} clients, ${ruleCount} rules; at most ${limitMs} ms each`);
  for (const [what, ms] of await measure(service)) {
    console.log(`${what}: ${Math.round(ms)} ms`);
    if (ms > limitMs) process.exitCode = 1;
  }
} finally {
  await service.stop();
}
