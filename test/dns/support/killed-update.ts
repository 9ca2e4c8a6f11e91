// Kills the whole program in a phase of a list update. After the next start, either the old or the new lists
// are in force, never a mixture, and in the end the new lists are in force. The phases are those that the
// update reports.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { after } from 'node:test';

import { boot, type Service } from '../../running/boot.ts';
import { temporaryFolder } from '../../running/folder.ts';
import { request } from '../../running/http.ts';
import { at } from '../../running/reply.ts';
import { until } from '../../running/waiting.ts';
import { runQuery } from './clients.ts';
import { portOf } from './service.ts';

const dir = temporaryFolder();
const file = join(temporaryFolder(), 'list.txt');
const env = {
  SLUICE_WEB_HTTPS: '',
  SLUICE_DNS_LISTEN: '127.0.0.1:0',
  SLUICE_DNS_UPSTREAMS: '127.0.0.1#9',
  SLUICE_DNS_WORKERS: '2',
};
let service: Service | undefined;
after(async () => {
  await service?.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** Long enough that the test can kill the program in every phase. */
const text = (turn: number): string => {
  const lines = Array.from({ length: 20_000 }, (_, line) => `host-${turn}-${line}.example\n`);
  return `turn-${turn}.example\n${lines.join('')}`;
};

const start = async (): Promise<(name: string) => Promise<boolean>> => {
  service = await boot({ dir, env });
  const port = await portOf(service);
  return async (name) => {
    const { answer } = await runQuery('dig', { address: '127.0.0.1', port }, `${name} A`);
    return answer[0]?.endsWith(' 0.0.0.0') === true;
  };
};

/**
 * Deletes the default subscription: its server is out of reach here, and downloads would be retried for long.
 */
const deleteDefaultList = async (running: Service | undefined): Promise<void> => {
  const address = at((await running?.call('GET', '/api/lists'))?.body, 'lists', 1, 'address');
  const path = `/api/lists/${encodeURIComponent(String(address))}?type=block`;
  assert.equal((await running?.call('DELETE', path))?.status, 204);
};

/** Starts an update and kills the program when the update reports the phase. */
const killWhen = async (running: Service, phase: RegExp): Promise<void> => {
  const asked = request(`${running.http}/api/action/gravity`, { method: 'POST', agent: false });
  asked.on('error', () => undefined);
  asked.end();
  // The first argument of this event is the reply.
  const [reply] = (await once(asked, 'response')) as [IncomingMessage];
  reply.on('error', () => undefined);
  let progress = '';
  reply.setEncoding('utf8').on('data', (part: string) => {
    progress += part;
    if (phase.test(progress)) running.signal('SIGKILL');
  });
  await running.ended;
  assert.match(progress, phase);
};

/** Which of the two names are blocked at one moment: the policy may change between two queries. */
const inForce = (isBlocked: (name: string) => Promise<boolean>, old: string, fresh: string) =>
  until('The policy does not change between two queries', async () => {
    const before = await isBlocked(fresh);
    const found = { old: await isBlocked(old), fresh: before };
    return (await isBlocked(fresh)) === before ? found : undefined;
  });

/** Tries each phase in a separate update. */
export async function killInPhases(phases: readonly RegExp[]): Promise<void> {
  writeFileSync(file, text(0));
  let isBlocked = await start();
  await deleteDefaultList(service);
  const body = { address: `file://${file}` };
  assert.equal((await service?.call('POST', '/api/lists?type=block', { body }))?.status, 201);
  await until('The list is in force', async () => ((await isBlocked('turn-0.example')) ? true : undefined));

  for (const [turn, phase] of phases.entries()) {
    writeFileSync(file, text(turn + 1));
    assert.ok(service !== undefined);
    await killWhen(service, phase);
    isBlocked = await start();
    const fresh = `turn-${turn + 1}.example`;
    const found = await inForce(isBlocked, `turn-${turn}.example`, fresh);
    assert.notEqual(found.old, found.fresh, phase.source);
    assert.equal(await isBlocked('x.doubleclick.net'), true);
    // A copy that was stored is compiled at the start; one that was not is fetched by the next update.
    if (/^(?:fetch|read)/u.test(phase.source)) await service.call('POST', '/api/action/gravity');
    await until('The new list is in force', async () => ((await isBlocked(fresh)) ? true : undefined));
  }
}
