import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { zstdCompressSync } from 'node:zlib';
import { openSnapshot } from '#policy';
import { ListCopies } from './list-copies.ts';
import { loadSnapshotFile } from './snapshot-file.ts';
import { listServer, namesText, temporaryFolder, testUpdater, type Page } from './test-list-scene.ts';

const entries = 20_000;
const program = fileURLToPath(new URL('./test-killed-update.ts', import.meta.url));

/** Every reply is another list of the same length, sent in two parts. */
function changingList(): Page {
  let from = 0;
  return (_request, response) => {
    const bytes = zstdCompressSync(namesText(entries, from++));
    response.writeHead(200, { 'content-encoding': 'zstd' }).write(bytes.subarray(0, bytes.length >> 1));
    setTimeout(() => response.end(bytes.subarray(bytes.length >> 1)), 10);
  };
}

async function stepOf(child: ChildProcess, wanted: string, count: number): Promise<void> {
  assert.ok(child.stdout !== null);
  let seen = 0;
  for await (const line of createInterface(child.stdout)) {
    if (line === wanted) seen += 1;
    if (seen === count) return;
  }
  assert.fail(`the program ended before it came to: ${wanted}`);
}

async function killAt(t: TestContext, folder: string, address: string, step: string, lateMs: number) {
  const child = spawn(process.execPath, [program, folder, address], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  await stepOf(child, step, 2);
  await sleep(lateMs);
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

function assertWhole(folder: string): void {
  const copies = new ListCopies(join(folder, 'lists'));
  const copy = copies.findCurrent(1);
  assert.equal(copies.damaged(1), 0);
  assert.equal(copy?.description.report.entries, entries);
  assert.ok(copies.all(1).every(({ version }) => copies.find(1, version) !== undefined));
  assert.ok(!existsSync(join(folder, 'snapshot.bin.damaged')));
  const loaded = loadSnapshotFile(join(folder, 'snapshot.bin'));
  assert.ok(loaded.kind === 'loaded', loaded.kind);
  const snapshot = openSnapshot(loaded.buffer);
  assert.ok(typeof snapshot !== 'string');
  assert.equal(snapshot.names, entries);
}

describe('an update that is killed', () => {
  const moments: readonly (readonly [string, number])[] = [
    ['fetching', 0],
    ['fetching', 12],
    ['examining', 0],
    ['examining', 8],
    ['finished', 0],
    ['compiling', 0],
    ['compiling', 6],
    ['compiling', 10],
  ];
  it('leaves whole copies and a whole snapshot, whenever it is', async (t) => {
    const folder = temporaryFolder(t);
    const address = `${await listServer(t, { '/list': changingList() })}/list`;
    for (const [step, lateMs] of moments) {
      await killAt(t, folder, address, step, lateMs);
      assertWhole(folder);
    }
    // And the next one goes on from there.
    const { updater, copies } = await testUpdater(join(folder, 'lists'));
    const [outcome] = await updater.update([{ id: 1, address }], () => undefined);
    assert.equal(outcome?.status, 1);
    assert.equal(copies.newest(1)?.version, outcome?.version);
  });
});
