import assert from 'node:assert/strict';
import { fstatSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { until } from '../../../test/running/waiting.ts';
import type { DnsOptions } from '#control/plan';
import { createLog } from '#platform/log';
import { type DnsSocket, loadLibc } from '#platform/sockets';
import { DnsWorkers } from './dns-workers.ts';

const dir = mkdtempSync(join(tmpdir(), 'sluice-dns-workers-'));
after(() => rmSync(dir, { recursive: true }));

/**
 * A worker that counts its starts in its counters; the name of a flush is a command to it. `Atomics.wait`
 * stops its heartbeat like an endless loop, but takes no processor time from other tests.
 */
const stub = `import { parentPort, workerData } from 'node:worker_threads';
const { heartbeat, memory, version, options, sockets } = workerData;
const counters = new Int32Array(memory.counters);
counters[0]++;
const beat = setInterval(() => Atomics.add(heartbeat, 0, 1), 50);
const post = (kind, more) => parentPort.postMessage({ kind, ...more });
const commands = {
  throw: () => { throw new Error('bang'); },
  hang: () => { for (;;); },
  block: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
  work: () => { for (const words = new Int32Array(memory.streams);;) Atomics.add(words, 0, 1); },
  culprit: () => post('culprit', { hex: '00ff', client: '192.0.2.1' }),
};
parentPort.on('message', (message) => {
  if (message.kind === 'flush') {
    commands[message.name]?.();
    post('flushed', { requestId: message.requestId, count: 1 });
  }
  if (message.kind === 'options') {
    counters[1] = message.options.version;
    if (options.version !== 13) post('applied', { version: message.version });
  }
  if (message.kind === 'sockets') {
    counters[2] = message.blackBoxes.size;
    post('serving', { requestId: message.requestId, sockets: message.sockets.map(({ id }) => id) });
  }
  if (message.kind === 'stop') post('stopped');
});
counters[1] = options.version;
counters[2] = memory.blackBoxes.size;
const [first] = sockets;
if (first.fds[0] > 0) post('attached', { fd: first.fds[0], copy: first.fds[1] });
post('ready');
`;
const noLibc = loadLibc() === undefined && 'There are no descriptors without libc.';
const entry = join(dir, 'stub.mjs');
writeFileSync(entry, stub);

function socket(id: number): DnsSocket {
  return {
    id,
    transport: 'udp',
    wanted: '127.0.0.1:5300',
    address: '127.0.0.1',
    port: 5300,
    family: 'ipv4',
    fds: [-1, -1, -1],
  };
}

function options(version: number): DnsOptions {
  // The stub reads only the version.
  return { version } as DnsOptions;
}

function shared(): SharedArrayBuffer {
  return new SharedArrayBuffer(64);
}

async function startWorkers(t: TestContext, workers: number, version = 1, sockets = [socket(1)]) {
  const logged: string[] = [];
  const acquitted: number[] = [];
  const dropped: number[] = [];
  const all = new DnsWorkers(
    {
      entry: pathToFileURL(entry),
      workers,
      dataDir: dir,
      compileCacheDir: dir,
      memory: {
        blackBox: shared,
        acquit: (box) => acquitted.push(box.byteLength),
        dropHeld: (box) => dropped.push(box.byteLength),
        positionIn: (box) => String(Atomics.load(new Int32Array(box), 0)),
        inProgress: shared,
        records: shared,
        hasRecords: () => false,
        counters: shared,
      },
      libc: loadLibc(),
      log: createLog({
        thread: 'main',
        level: () => 'info',
        format: 'text',
        nowMs: () => 0,
        write: (line) => logged.push(line),
      }),
      nowMs: () => performance.now(),
      onStatus: () => undefined,
    },
    options(version),
    undefined,
    sockets,
  );
  t.after(() => all.stop(false));
  assert.deepEqual(await all.start(), []);
  const counter = (worker: number, at: number) =>
    new Int32Array(all.memory[worker]?.counters ?? new SharedArrayBuffer(64))[at];
  return { all, logged, acquitted, dropped, counter };
}

/** Waits until the first worker runs after this many restarts. */
function restarted(all: DnsWorkers, restarts: number): Promise<boolean> {
  return until(`dns1 runs after ${restarts} restarts`, () => {
    const [status] = all.statuses;
    return (status?.restarts === restarts && status.state === 'running') || undefined;
  });
}

describe('dns workers', () => {
  it('options and sockets reach every worker, and each acknowledges them', async (t) => {
    const { all, counter } = await startWorkers(t, 3);
    assert.deepEqual(
      all.statuses.map(({ name, state }) => `${name} ${state}`),
      ['dns1 running', 'dns2 running', 'dns3 running'],
    );
    assert.deepEqual(await all.apply(options(7), undefined), { workers: 3, late: [] });
    assert.deepEqual(
      [0, 1, 2].map((worker) => counter(worker, 1)),
      [7, 7, 7],
    );
    await all.setSockets([socket(1), socket(2)]);
    assert.deepEqual(await all.flush('nothing'), { workers: 3, late: [] });
    await all.flush(undefined);
    assert.deepEqual(
      [0, 1, 2].map((worker) => counter(worker, 2)),
      [2, 2, 2],
    );
  });

  it('a worker that does not acknowledge the options is named as late', async (t) => {
    const { all } = await startWorkers(t, 1, 13);
    assert.deepEqual(await all.apply(options(14), undefined), { workers: 1, late: ['dns1'] });
  });

  for (const death of ['throw', 'hang']) {
    it(`a worker that ${death}s is replaced by one with the latest options and its memory`, async (t) => {
      const { all, counter } = await startWorkers(t, 1);
      await all.apply(options(5), undefined);
      const flushing = all.flush(death);
      await restarted(all, 1);
      assert.deepEqual([counter(0, 0), counter(0, 1)], [2, 5]);
      await flushing;
    });
  }

  it('a worker that dies during a change counts as changed once its successor runs', async (t) => {
    const { all, counter } = await startWorkers(t, 2);
    const [flushed, applied] = await Promise.all([all.flush('throw'), all.apply(options(9), undefined)]);
    assert.deepEqual([flushed.late, applied.late], [[], []]);
    assert.deepEqual([counter(0, 1), counter(1, 1)], [9, 9]);
  });

  it('a packet that crashed a worker is logged with its sender', async (t) => {
    const { all, logged } = await startWorkers(t, 1);
    await all.flush('culprit');
    assert.match(logged.join(''), /packet crashed a dns worker.*00ff.*192\.0\.2\.1/);
  });

  for (const [command, boxes] of [
    ['block', 0],
    // The black boxes of the socket, of replies and of connections.
    ['work', 3],
  ] as const)
    it(`a worker that ${command}s without a heartbeat is replaced, acquitting ${boxes} boxes`, async (t) => {
      const { all, acquitted } = await startWorkers(t, 1);
      const flushing = all.flush(command);
      await restarted(all, 1);
      assert.equal(acquitted.length, boxes);
      await flushing;
    });

  for (const [what, end, boxes] of [
    ['is silent', (all: DnsWorkers) => all.flush('block'), 1],
    ['throws', (all: DnsWorkers) => all.flush('throw'), 0],
    ['is replaced on request', (all: DnsWorkers) => all.replace('requested by the test'), 0],
  ] as const)
    it(`a worker that ${what}: held queries are ${boxes === 0 ? 'kept' : 'dropped'}`, async (t) => {
      const { all, dropped } = await startWorkers(t, 1);
      const ending = end(all);
      await restarted(all, 1);
      assert.equal(dropped.length, boxes);
      await ending;
    });

  it('a worker that hangs loses its copies of descriptors before it ends', { skip: noLibc }, async (t) => {
    const libc = loadLibc();
    assert.ok(libc);
    const fd = openSync(entry, 'r');
    const copied = libc.dup(fd);
    assert.ok(copied.ok);
    const copy = copied.value;
    const { all } = await startWorkers(t, 1, 1, [{ ...socket(1), fds: [fd, copy] }]);
    const flushing = all.flush('block');
    assert.equal(fstatSync(copy).ino, fstatSync(fd).ino);
    await restarted(all, 1);
    assert.notEqual(fstatSync(copy).ino, fstatSync(fd).ino);
    await flushing;
  });
});
