import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { nameOf, ruleOf } from '#testing/policy/rules';
import type { ScannedRule } from '../rules/scanned-rule.ts';
import { Head, headerWords, maxPatterns, maxPatternSize } from './layout.ts';
import { openSnapshot, snapshotMemory, type Snapshot } from './snapshot.ts';
import { SnapshotBuilder, type BuilderOptions } from './snapshot-builder.ts';
import { SuffixHasher } from './suffix-hash.ts';

/** Room for a million names. */
const maxBytes = 2 ** 24;

function build(count: number, options: BuilderOptions = {}, from = 0): SharedArrayBuffer {
  const builder = new SnapshotBuilder({ maxBytes, ...options });
  const sink = builder.list(1);
  const rule: ScannedRule = ruleOf('x');
  for (let at = from; at < from + count; at++) {
    const name = nameOf(`host-${at}.example`);
    sink.onRule({ ...rule, name, nameLength: name.length });
  }
  const buffer = builder.finish();
  assert.ok(buffer !== undefined);
  return buffer;
}

function opened(buffer: SharedArrayBuffer | ArrayBuffer): Snapshot {
  const snapshot = openSnapshot(buffer);
  if (typeof snapshot === 'string') assert.fail(snapshot);
  return snapshot;
}

function has(snapshot: Snapshot, text: string): boolean {
  const hasher = new SuffixHasher(snapshot.key);
  const name = nameOf(text);
  const last = hasher.hash(name, name.length) - 1;
  return snapshot.find(hasher.low[last] ?? 0, hasher.high[last] ?? 0) !== 0;
}

function foundOf(snapshot: Snapshot, count: number): number {
  return Array.from({ length: count }, (_, at) => has(snapshot, `host-${at}.example`)).filter(Boolean).length;
}

describe('a snapshot', () => {
  it('has the names that were added, no others, and takes at most 16 bytes for each', () => {
    for (const count of [20_000, 24_721]) {
      const snapshot = opened(build(count));
      assert.equal(snapshot.names, count);
      assert.equal(foundOf(snapshot, count + 5_000), count);
      assert.ok(snapshot.sizeBytes / count <= 16, `${snapshot.sizeBytes / count}`);
      assert.ok(snapshot.buffer.byteLength / count <= 16);
    }
  });

  it('may be empty', () => {
    const snapshot = opened(build(0));
    assert.equal(snapshot.names, 0);
    assert.equal(foundOf(snapshot, 100), 0);
  });

  it('has another key in each build', () => {
    assert.notDeepEqual(opened(build(1)).key, opened(build(1)).key);
  });

  it('counts entries, duplicates and refused rules per list', () => {
    const builder = new SnapshotBuilder({ maxBytes });
    const [first, second] = [builder.list(7), builder.list(9)];
    for (const words of ['a.example', 'a.example', 'exact a.example', 'regex ^a', 'regex ^a', 'regex ^b'])
      first.onRule(ruleOf(words));
    second.onRule(ruleOf('a.example'));
    second.onRule({ ...ruleOf('a.example'), nameLength: 1 });
    // One character each, or their size would exceed its limit before their number.
    for (let at = 0; at < maxPatterns; at++)
      second.onRule(ruleOf(`regex ${String.fromCodePoint(0x4e00 + at)}`));
    assert.deepEqual(builder.counts(), [
      { id: 7, entries: 6, duplicates: 2, refused: 0 },
      { id: 9, entries: 2 + maxPatterns, duplicates: 0, refused: 3 },
    ]);
    assert.equal(builder.names, 1);
  });

  it('refuses patterns whose total size is too large', () => {
    const builder = new SnapshotBuilder({ maxBytes });
    const sink = builder.list(1);
    for (let at = 100; at < 120; at++) sink.onRule(ruleOf(`regex [a-z]{${maxPatternSize / 10 - 3}}${at}`));
    sink.onRule(ruleOf('regex a'));
    assert.deepEqual(builder.counts(), [{ id: 1, entries: 21, duplicates: 0, refused: 11 }]);
  });

  it('refuses names that do not fit, and says how many', () => {
    const builder = new SnapshotBuilder({ maxBytes: 2 ** 14 });
    const sink = builder.list(1);
    for (let at = 0; at < 2000; at++) sink.onRule(ruleOf(`h${at}.example`));
    const refused = builder.counts()[0]?.refused ?? 0;
    assert.ok(refused > 500 && refused < 1500);
    assert.equal(builder.names, 2000 - refused);
  });
});

describe('a buffer that is used again', () => {
  it('does not grow in 50 builds of about the same size', () => {
    let buffers = [build(2_000), build(2_000)] as const;
    const sizes = buffers.map(({ byteLength }) => byteLength);
    for (let turn = 1; turn <= 50; turn++) {
      const [used, spare] = buffers;
      const filled = build(2_000 - (turn % 7) * 10, { buffer: spare }, turn);
      assert.equal(filled, spare);
      buffers = [filled, used];
      const snapshot = opened(filled);
      assert.ok(has(snapshot, `host-${turn}.example`) && !has(snapshot, `host-${turn - 1}.example`));
    }
    // A few bytes for counts of more digits.
    const grown = buffers.map(({ byteLength }) => byteLength - Math.max(...sizes));
    assert.ok(Math.max(...grown) <= 16, grown.join());
  });

  it('grows in place for more names, and is written only as far as needed for fewer', () => {
    const buffer = build(10_000);
    assert.equal(build(30_000, { buffer }), buffer);
    assert.equal(foundOf(opened(buffer), 31_000), 30_000);
    assert.equal(build(500, { buffer }), buffer);
    const small = opened(buffer);
    assert.ok(small.sizeBytes < 20_000);
    assert.equal(foundOf(small, 31_000), 500);
    // The memory still holds cells of the large one.
    assert.equal(build(8000, { buffer }, 20_000), buffer);
    assert.equal(foundOf(opened(buffer), 31_000), 8000);
  });
});

describe('a snapshot on disk', () => {
  const bytes = opened(build(2000)).bytes().slice();
  const copy = (change: (words: Int32Array) => void): ArrayBuffer => {
    const buffer = bytes.slice().buffer;
    change(new Int32Array(buffer));
    return buffer;
  };

  it('is the same after writing and reading', () => {
    const folder = mkdtempSync(join(tmpdir(), 'snapshot-'));
    const snapshot = opened(build(3000));
    writeFileSync(join(folder, 'lists'), snapshot.bytes());
    const read = readFileSync(join(folder, 'lists'));
    const shared = snapshotMemory(read.length);
    new Uint8Array(shared).set(read);
    const again = opened(shared);
    assert.equal(foundOf(again, 4000), 3000);
    assert.deepEqual(again.meta, snapshot.meta);
    assert.equal(build(5000, { buffer: shared }), shared);
    rmSync(folder, { recursive: true });
  });

  it('is refused when any word of it changed', () => {
    const count = bytes.length / 4;
    for (let at = 0; at < count; at += 1 + (at >> 3)) {
      const problem = openSnapshot(copy((words) => (words[at] = (words[at] ?? 0) ^ (1 << (at & 31)))));
      assert.equal(typeof problem, 'string', `word ${at}`);
    }
  });

  it('is refused when two words changed places', () => {
    const swapped = copy((words) => {
      const at = words.findIndex((word, index) => index > headerWords && word !== words[index + 1]);
      [words[at], words[at + 1]] = [words[at + 1] ?? 0, words[at] ?? 0];
    });
    assert.equal(openSnapshot(swapped), 'damaged');
  });

  it('is refused when it was cut off, is something else or of another format', () => {
    assert.equal(openSnapshot(bytes.buffer.slice(0, bytes.length - 4)), 'too short');
    assert.equal(openSnapshot(new ArrayBuffer(10)), 'too short');
    assert.equal(openSnapshot(new ArrayBuffer(4096)), 'no snapshot');
    assert.equal(openSnapshot(copy((words) => (words[Head.format] = 99))), 'another format');
  });
});

describe('a snapshot in another thread', () => {
  it('is opened there from the same memory', async () => {
    const buffer = build(1000);
    const source = `
      import { parentPort, workerData } from 'node:worker_threads';
      import { openSnapshot } from ${JSON.stringify(import.meta.resolve('./snapshot.ts'))};
      const snapshot = openSnapshot(workerData);
      new Int32Array(workerData, 0, 1)[0] = 42;
      parentPort.postMessage([snapshot.names, workerData.growable]);`;
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`), {
      workerData: buffer,
    });
    const received = await new Promise((resolve, reject) => {
      worker.once('message', resolve).once('error', reject);
    });
    await worker.terminate();
    assert.deepEqual(received, [1000, true]);
    assert.equal(new Int32Array(buffer, 0, 1)[0], 42);
  });
});
