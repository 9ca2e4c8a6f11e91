// A program that tests kill: it updates and compiles one list in a loop, and prints the name of each step
// when it begins. The test then starts from the files that are on the disk.

import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { loadPatternCheck } from '#policy';
import { steadyClockMs, wallClockMs } from '../../platform/time/clock.ts';
import { compileLists } from '../../lists/compile/compile-lists.ts';
import { examineDraft } from '../../lists/copies/examine.ts';
import { ListCopies } from '../../lists/copies/list-copies.ts';
import { ListUpdater } from '../../lists/update/list-updater.ts';

const [folder = '', address = ''] = process.argv.slice(2);
const maxTurns = 1000;
const listsFolder = join(folder, 'lists');
const checkPattern = await loadPatternCheck();

function print(step: string): void {
  writeSync(1, `${step}\n`);
}

const nothing = (): void => undefined;

const updater = new ListUpdater({
  copies: new ListCopies(listsFolder),
  fetch: { userAgent: 'sluice/test', allowLocal: () => true },
  examine: (path, bytes) => examineDraft(path, bytes, checkPattern),
  inForce: () => undefined,
  nowMs: wallClockMs,
  random: () => 0.5,
  sleep: () => Promise.resolve(),
  log: { error: nothing, warn: nothing, info: nothing, debug: nothing },
});

for (let turn = 0; turn < maxTurns; turn++) {
  await updater.update([{ id: 1, address, added_with: 'sudo' }], ({ step }) => print(step));
  print('compiling');
  const outcome = await compileLists(
    {
      listsFolder,
      snapshotPath: join(folder, 'snapshot.bin'),
      lists: [{ id: 1, name: 'list', type: 'block' }],
      accepted: [1],
      buffer: undefined,
    },
    { steadyMs: steadyClockMs, memoryBytes: () => 0, checkPattern },
  );
  print(outcome.kind);
}
