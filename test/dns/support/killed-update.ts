// The whole program killed in a phase of an update of lists: what starts afterwards blocks what was in
// force before, or what was being put in force, and nothing in between; and it comes to the new lists by
// itself. The phases are those that the update reports.

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
import { ask } from './clients.ts';
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

/** Long enough that every phase can be met. */
const text = (turn: number): string => {
  const lines = Array.from({ length: 20_000 }, (_, line) => `host-${turn}-${line}.example\n`);
  return `turn-${turn}.example\n${lines.join('')}`;
};

const start = async (): Promise<(name: string) => Promise<boolean>> => {
  service = await boot({ dir, env });
  const port = await portOf(service);
  return async (name) => {
    const { answer } = await ask('dig', { address: '127.0.0.1', port }, `${name} A`);
    return answer[0]?.endsWith(' 0.0.0.0') === true;
  };
};

/** The subscription that every installation begins with is out of reach here, and would be tried for long. */
const withoutDefault = async (running: Service | undefined): Promise<void> => {
  const address = at((await running?.call('GET', '/api/lists'))?.body, 'lists', 1, 'address');
  const path = `/api/lists/${encodeURIComponent(String(address))}?type=block`;
  assert.equal((await running?.call('DELETE', path))?.status, 204);
};

/** Kills the program when the update says so. */
const killWhen = async (running: Service, phase: RegExp): Promise<void> => {
  const asked = request(`${running.http}/api/action/gravity`, { method: 'POST', agent: false });
  asked.on('error', () => undefined);
  asked.end();
  // The first argument of this event is the reply.
  const [reply] = (await once(asked, 'response')) as [IncomingMessage];
  reply.on('error', () => undefined);
  let told = '';
  reply.setEncoding('utf8').on('data', (part: string) => {
    told += part;
    if (phase.test(told)) running.signal('SIGKILL');
  });
  await running.ended;
  assert.match(told, phase);
};

/** Which of two names is blocked, at one moment: the policy may change between two questions. */
const inForce = (isBlocked: (name: string) => Promise<boolean>, old: string, young: string) =>
  until('The policy stands still', async () => {
    const before = await isBlocked(young);
    const found = { old: await isBlocked(old), young: before };
    return (await isBlocked(young)) === before ? found : undefined;
  });

/** One phase after the other, each in an update of its own. */
export async function killInPhases(phases: readonly RegExp[]): Promise<void> {
  writeFileSync(file, text(0));
  let isBlocked = await start();
  await withoutDefault(service);
  const body = { address: `file://${file}` };
  assert.equal((await service?.call('POST', '/api/lists?type=block', { body }))?.status, 201);
  await until('It is in force', async () => ((await isBlocked('turn-0.example')) ? true : undefined));

  for (const [turn, phase] of phases.entries()) {
    writeFileSync(file, text(turn + 1));
    assert.ok(service !== undefined);
    await killWhen(service, phase);
    isBlocked = await start();
    const young = `turn-${turn + 1}.example`;
    const found = await inForce(isBlocked, `turn-${turn}.example`, young);
    assert.notEqual(found.old, found.young, phase.source);
    assert.equal(await isBlocked('x.doubleclick.net'), true);
    // A copy that was stored is compiled at the start; one that was not is fetched by the next update.
    if (/^(?:fetch|read)/u.test(phase.source)) await service.call('POST', '/api/action/gravity');
    await until('The new list is in force', async () => ((await isBlocked(young)) ? true : undefined));
  }
}
