// The API reports that blocking is on, or that a pause is over, only when DNS already blocks: a client that
// reads this state and then sends a query gets a blocked answer. Several readers check this across the end of
// a timer.

import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';

import { bootFor, type Service } from './running/boot.ts';
import { query } from './running/dns-load.ts';
import { dnsEnvironment, dnsPort, patienceMs } from './running/dns-service.ts';
import { startUpstream } from './running/dns-upstream.ts';
import { at, describe as shown, listAt, type Reply } from './running/reply.ts';
import { within } from './running/waiting.ts';

const name = 'zero.example';
const blocked = '0.0.0.0';
const readers = 2;
/** How many queries each reader sends after it has read the end. */
const queriesAfter = 5;

/** The address in the answer: its last four bytes. */
const addressOf = async (port: number): Promise<string> => {
  const socket = createSocket('udp4');
  try {
    const answered = once(socket, 'message', { signal: AbortSignal.timeout(patienceMs) });
    socket.send(query(7, name), port, '127.0.0.1');
    const [answer]: Buffer[] = await answered;
    return answer?.subarray(-4).join('.') ?? '';
  } finally {
    socket.close();
  }
};

const start = async (t: TestContext): Promise<{ readonly service: Service; readonly port: number }> => {
  const upstream = await startUpstream(t, 0);
  // Two workers: both must block before the API reports it.
  const env = { ...dnsEnvironment(upstream.port), SLUICE_DNS_WORKERS: '2' };
  const service = await bootFor(t, { env });
  const made = await service.call('POST', '/api/domains/deny/exact', { body: { domain: name } });
  assert.equal(made.status, 201, shown(made));
  return { service, port: await dnsPort(service) };
};

/** Reads the state until it says that blocking is on, and sends a query after each such reply. */
const readThenQuery = async (
  { service, port }: { readonly service: Service; readonly port: number },
  saysBlocked: (reply: Reply) => boolean,
): Promise<readonly string[]> => {
  const wrong: string[] = [];
  for (let seen = 0; seen < queriesAfter;) {
    const reply = await service.call('GET', '/api/dns/blocking');
    if (!saysBlocked(reply)) continue;
    seen++;
    const address = await addressOf(port);
    if (address !== blocked) wrong.push(`${address} after ${reply.text}`);
  }
  return wrong;
};

const cases: readonly (readonly [string, object, (reply: Reply) => boolean])[] = [
  ['of blocking for all clients', { blocking: false, timer: 1 }, ({ body }) => at(body, 'blocking') === true],
  [
    'of a pause for a client',
    { blocking: false, timer: 1, client: '127.0.0.1' },
    ({ body }) => listAt(body, 'pauses').length === 0,
  ],
];

test('GET /api/dns/blocking reports the end of a timer only when DNS blocks', async (t) => {
  const place = await start(t);
  for (const [what, body, saysBlocked] of cases)
    await t.test(what, async () => {
      const begun = await place.service.call('POST', '/api/dns/blocking', { body });
      assert.equal(begun.status, 200, shown(begun));
      const all = Array.from({ length: readers }, () => readThenQuery(place, saysBlocked));
      assert.deepEqual((await within('The timer ends', 60_000, Promise.all(all))).flat(), []);
    });
});
