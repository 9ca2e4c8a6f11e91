// The files for a quick start can be missing, damaged or of another version, as after each upgrade: the first
// answer is still filtered by the compiled lists, without help from a user.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { boot } from '../running/boot.ts';
import { damages } from '../running/damage.ts';
import { temporaryFolder } from '../running/folder.ts';
import { until } from '../running/waiting.ts';
import { runQuery } from './support/clients.ts';
import { portOf } from './support/service.ts';

const dir = temporaryFolder();
after(() => rmSync(dir, { recursive: true, force: true }));
const plan = join(dir, 'dns.json');
const snapshot = join(dir, 'snapshot.bin');
const env = { SLUICE_WEB_HTTPS: '', SLUICE_DNS_LISTEN: '127.0.0.1:0', SLUICE_DNS_UPSTREAMS: '127.0.0.1#9' };

/** A name on the built-in list. */
const listed = 'doubleclick.net A';

const isBlocked = async (port: number): Promise<boolean> => {
  const { answer } = await runQuery('dig', { address: '127.0.0.1', port }, listed);
  return answer[0]?.endsWith(' 0.0.0.0') === true;
};

/** src/control/plan/dns-plan.test.ts has all other reasons why a plan is unusable. */
const firstAnswers: readonly (readonly [string, () => void])[] = [
  ['although the plan is missing', () => rmSync(plan)],
  ['although the plan is damaged', () => writeFileSync(plan, readFileSync(plan).subarray(0, 100))],
];

test('the first answer after a start is filtered', async (t) => {
  const first = await boot({ dir, env });
  await until('The built-in list blocks', async () =>
    (await isBlocked(await portOf(first))) ? true : undefined,
  );
  await first.stop();
  for (const [name, spoil] of firstAnswers)
    await t.test(name, async () => {
      spoil();
      const service = await boot({ dir, env });
      assert.equal(await isBlocked(await portOf(service)), true);
      await service.stop();
    });
});

const damagedSnapshots: readonly (readonly [string, () => void, RegExp?])[] = [
  ['are missing', () => rmSync(snapshot)],
  ['are a folder', () => (rmSync(snapshot), mkdirSync(snapshot))],
  ['are empty', () => writeFileSync(snapshot, ''), /compiled lists cannot be used, and are compiled anew/],
  ['are damaged', () => damages['byte in the middle'](snapshot), /the previous ones block until/],
];

test('the first answer after a start is filtered by the previous snapshot', async (t) => {
  for (const [name, spoil, says] of damagedSnapshots)
    await t.test(`although the compiled lists ${name}`, async () => {
      spoil();
      const service = await boot({ dir, env });
      assert.equal(await isBlocked(await portOf(service)), true);
      if (says !== undefined) await service.logged(says);
      await service.logged(/Lists are compiled and in force/);
      await service.stop();
    });
});
