import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { zstdCompressSync } from 'node:zlib';
import { openSnapshot } from '#policy';
import { ListCopies } from '../copies/list-copies.ts';
import { loadSnapshotFile, readBuildRecord } from '../snapshot/snapshot-file.ts';
import { previousSnapshotFile } from '../snapshot/read-snapshot.ts';
import {
  listServer,
  namesText,
  sudo,
  temporaryFolder,
  testUpdater,
  type Page,
} from '#testing/lists/list-scene';

const entries = 60_000;
const program = fileURLToPath(new URL('../../testing/lists/killed-update.ts', import.meta.url));

/** Every reply is a different list of the same length, sent in two parts. */
function changingList(): Page {
  let from = 0;
  return (_request, response) => {
    const bytes = zstdCompressSync(namesText(entries, from++));
    response.writeHead(200, { 'content-encoding': 'zstd' }).write(bytes.subarray(0, bytes.length >> 1));
    setTimeout(() => response.end(bytes.subarray(bytes.length >> 1)), 10);
  };
}

async function waitForStep(child: ChildProcess, wanted: string, count: number): Promise<void> {
  assert.ok(child.stdout !== null);
  let seen = 0;
  for await (const line of createInterface(child.stdout)) {
    if (line === wanted) seen += 1;
    if (seen === count) return;
  }
  assert.fail(`the program ended before the step: ${wanted}`);
}

/** Names and sizes: a different result means that a file is being written. */
function filesIn(folder: string, pattern: RegExp): string {
  return readdirSync(folder)
    .filter((name) => pattern.test(name))
    .map((name) => `${name} ${statSync(join(folder, name), { throwIfNoEntry: false })?.size}`)
    .join('\n');
}

/** Polls synchronously, because the write takes less time than a turn of the event loop. False: missed. */
function waitForWriting(folder: string, pattern: RegExp): boolean {
  const before = filesIn(folder, pattern);
  const endMs = Date.now() + 5000;
  while (filesIn(folder, pattern) === before) if (Date.now() > endMs) return false;
  return true;
}

interface Moment {
  readonly step: string;
  /** Delay after the step has begun. */
  readonly lateMs?: number;
  /** Kill when the first of these files of the folder changes. */
  readonly writing?: readonly [string, RegExp];
}

/** Returns whether the kill happened at that moment. */
async function killAt(t: TestContext, folder: string, address: string, moment: Moment): Promise<boolean> {
  const child = spawn(process.execPath, [program, folder, address], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // Nothing listens at the proxy: a fetch that used it would fail.
    env: { ...process.env, NODE_USE_ENV_PROXY: '1', http_proxy: 'http://127.0.0.1:9' },
  });
  t.after(() => child.kill('SIGKILL'));
  await waitForStep(child, moment.step, 2);
  const { lateMs = 0, writing } = moment;
  if (writing === undefined) await sleep(lateMs);
  const isMet = writing === undefined || waitForWriting(join(folder, writing[0]), writing[1]);
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return isMet;
}

function assertWhole(folder: string): void {
  const copies = new ListCopies(join(folder, 'lists'));
  const copy = copies.findCurrent(1);
  assert.equal(copies.damaged(1), 0);
  assert.equal(copy?.description.report.entries, entries);
  assert.ok(copies.all(1).every(({ version }) => copies.find(1, version) !== undefined));
  assert.ok(!existsSync(join(folder, 'snapshot.bin.damaged')));
  assert.equal(readBuildRecord(join(folder, 'snapshot.bin'))?.names, entries);
  // Between two renames only the previous snapshot is there; a start loads that one.
  const newest = join(folder, 'snapshot.bin');
  const loaded = loadSnapshotFile(existsSync(newest) ? newest : previousSnapshotFile(newest));
  assert.ok(loaded.kind === 'loaded', loaded.kind);
  const snapshot = openSnapshot(loaded.buffer);
  assert.ok(typeof snapshot !== 'string');
  assert.equal(snapshot.names, entries);
}

describe('a killed update', () => {
  const moments: readonly Moment[] = [
    { step: 'fetching' },
    { step: 'fetching', lateMs: 15 },
    { step: 'examining' },
    { step: 'examining', writing: ['lists/1', /zst$/] },
    { step: 'examining', writing: ['lists/1', /json/] },
    { step: 'finished' },
    { step: 'compiling', writing: ['', /^snapshot\.bin\.(?:next\.)?json/] },
    { step: 'compiling', writing: ['', /^snapshot\.bin(?!\.(?:next\.)?json)/] },
    { step: 'compiling', writing: ['', /^snapshot\.bin(?!\.(?:next\.)?json)/] },
  ];
  it('leaves intact copies and an intact snapshot at every moment', async (t) => {
    const folder = temporaryFolder(t);
    const address = `${await listServer(t, { '/list': changingList() })}/list`;
    for (const moment of moments) {
      let isMet = false;
      for (let tries = 0; tries < 12 && !isMet; tries++) {
        isMet = await killAt(t, folder, address, moment);
        assertWhole(folder);
      }
      assert.ok(isMet, `never killed while ${moment.step}`);
    }
    // The next update continues from there.
    const { updater, copies } = await testUpdater(join(folder, 'lists'));
    const [outcome] = await updater.update([{ ...sudo, id: 1, address }], () => undefined);
    assert.equal(outcome?.status, 1);
    assert.equal(copies.newest(1)?.version, outcome?.version);
  });
});
