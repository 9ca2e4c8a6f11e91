// What workers make known of themselves and what a reader makes of it: counts go on over the death of a
// worker and over an upstream that comes back, and there are never more rows than there is room for.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AnswerCache } from './cache/answer-cache.ts';
import { Publisher } from './publisher.ts';
import { countersBytes } from './record/counters.ts';
import { readFigures, readUpstreamNames } from './record/figures.ts';
import { upstreamRows } from './record/upstream-table.ts';
import type { UpstreamStatus } from './upstream/status.ts';

const upstream = (text: string, counts: Partial<UpstreamStatus> = {}): UpstreamStatus => ({
  index: 0,
  text,
  state: 'healthy',
  rttMs: -1,
  queries: 0,
  failures: 0,
  timeouts: 0,
  measured: 0,
  measuredMs: 0,
  goodMs: -Infinity,
  failedMs: -Infinity,
  lastError: '',
  ...counts,
});

class Scene {
  readonly memory = new SharedArrayBuffer(countersBytes);
  upstreams: readonly UpstreamStatus[] = [];
  publisher = this.#worker();

  #worker(): Publisher {
    const forwarder = { status: () => this.upstreams };
    return new Publisher({ cache: new AnswerCache(1 << 16), forwarder }, this.memory);
  }

  publish(...upstreams: readonly UpstreamStatus[]): void {
    this.upstreams = upstreams;
    this.publisher.publish();
  }

  replace(): void {
    this.publisher = this.#worker();
  }

  get rows(): readonly unknown[] {
    return readFigures([this.memory]).upstreams.map(({ text, queries, failures, isUp }) => [
      text,
      queries,
      failures,
      isUp,
    ]);
  }
}

describe('names of upstreams by the numbers in records', () => {
  test('are those of the worker that currently writes', () => {
    const scene = new Scene();
    scene.publish(
      upstream('9.9.9.9', { index: 0 }),
      upstream('[::1]:5353', { index: 2 }),
      upstream('tls://a.example', { index: 1 }),
    );
    assert.deepEqual(readUpstreamNames(scene.memory), ['9.9.9.9#53', 'tls://a.example', '::1#5353']);
    scene.replace();
    scene.publish(upstream('tls://a.example', { index: 0 }), upstream('tcp://8.8.8.8', { index: 1 }));
    assert.deepEqual(readUpstreamNames(scene.memory), ['tls://a.example', '8.8.8.8#53', '::1#5353']);
  });
});

describe('figures of upstreams', () => {
  test('are sums over all workers', () => {
    const scene = new Scene();
    scene.publish(upstream('9.9.9.9', { queries: 5 }), upstream('tls://a.example', { state: 'down' }));
    scene.publish(upstream('9.9.9.9', { queries: 7, failures: 1 }), upstream('tls://a.example'));
    assert.deepEqual(scene.rows, [
      ['9.9.9.9', 7, 1, true],
      ['tls://a.example', 0, 0, true],
    ]);
    scene.replace();
    scene.publish(upstream('tls://a.example', { queries: 2 }));
    assert.deepEqual(scene.rows, [
      ['9.9.9.9', 7, 1, undefined],
      ['tls://a.example', 2, 0, true],
    ]);
  });

  test('have the last good reply of any worker, and the last failure of an upstream that is down', () => {
    const [one, other] = [new Scene(), new Scene()];
    const times = () =>
      readFigures([one.memory, other.memory]).upstreams.map(({ repliedMs, failedMs }) => [
        repliedMs,
        failedMs,
      ]);
    one.publish(upstream('9.9.9.9'));
    assert.deepEqual(times(), [[0, 0]]);
    one.publish(upstream('9.9.9.9', { state: 'suspected', goodMs: 5, failedMs: 9 }));
    assert.deepEqual(times(), [[5, 0]], 'One that is only suspected may still answer.');
    one.publish(upstream('9.9.9.9', { state: 'down', goodMs: 5, failedMs: 9 }));
    other.publish(upstream('9.9.9.9', { goodMs: 7 }));
    assert.deepEqual(times(), [[7, 9]]);
    one.publish(upstream('9.9.9.9', { goodMs: 11, failedMs: 9 }));
    assert.deepEqual(times(), [[11, 0]]);
    one.publish(upstream('9.9.9.9', { state: 'loop', goodMs: 12 }));
    assert.deepEqual(times(), [[12, Infinity]]);
    one.publish();
    assert.deepEqual(times(), [[7, 0]], 'What is not used any more says nothing.');
  });

  test('continue when a removed upstream is added again', () => {
    const scene = new Scene();
    scene.publish(upstream('9.9.9.9', { queries: 5 }));
    scene.publish(upstream('9.9.9.9', { queries: 2 }));
    assert.deepEqual(scene.rows, [['9.9.9.9', 7, 0, true]]);
    scene.publish();
    scene.publish(upstream('9.9.9.9', { queries: 9 }));
    assert.deepEqual(scene.rows, [['9.9.9.9', 16, 0, true]]);
  });

  test('have a bounded number of rows, the last one for all others', () => {
    const scene = new Scene();
    const many = Array.from({ length: upstreamRows + 10 }, (_, at) =>
      upstream(`10.0.0.${at}`, { queries: 1 }),
    );
    scene.publish(...many);
    assert.equal(scene.rows.length, upstreamRows);
    assert.deepEqual(scene.rows.at(-1), ['other', 11, 0, true]);
    const two = readFigures([scene.memory, scene.memory]).upstreams;
    assert.deepEqual([two.length, two.at(-1)?.queries, two.at(0)?.queries], [upstreamRows, 22, 2]);
  });

  test('have labels of one line and bounded length', () => {
    const scene = new Scene();
    scene.publish(upstream(`https://a.example/${'ä\n'.repeat(400)}`, { queries: 1 }));
    const [row] = readFigures([scene.memory]).upstreams;
    assert.match(row?.text ?? '', /^https:\/\/a\.example\/\?+$/);
    assert.equal(row?.text.length, 248);
  });
});

test('figures of caches and lists are those of the workers that have published', () => {
  const one = new Scene();
  const other = new Scene();
  one.publisher.publishListNames(1000);
  other.publisher.publishListNames(1000);
  one.publish();
  const { cache, listNames } = readFigures([one.memory, other.memory]);
  assert.deepEqual(cache, {
    entries: 0,
    bytes: 0,
    capacityBytes: 1 << 16,
    room: 385,
    inserted: 0,
    evicted: 0,
    content: [],
  });
  assert.equal(listNames, 1000);
});
