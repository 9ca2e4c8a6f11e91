import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventTypes, limits, type EventType } from '#contract';
import type { ServiceEvent } from './event-hub.ts';
import { EventLog } from './event-log.ts';
import { parseTypes } from './event-text.ts';

const all: ReadonlySet<EventType> = new Set(eventTypes);
function message(count: number): ServiceEvent {
  return { name: 'messages.changed', atMs: 1500, data: { count } };
}
function progress(text: string): ServiceEvent {
  return {
    name: 'lists.progress',
    atMs: 0,
    data: { listId: undefined, text },
  };
}
const queries: ServiceEvent = { name: 'queries', atMs: 0, data: { kept: [], leftOut: 7 } };

const startedMs = 1_794_700_000_000;
const run = startedMs.toString(36);
function numbersOf(log: EventLog, lastId: string, types = all): readonly number[] {
  return log.resume(lastId, types).events.map(({ number }) => number);
}

describe('the event log', () => {
  it('writes an event as id, name and one line of data', () => {
    const { bytes } = new EventLog(startedMs).add(progress('a\nb'));
    const data = '{"time":0,"list":null,"text":"a\\nb"}';
    assert.equal(String(bytes), `id: ${run}-1\nevent: lists.progress\ndata: ${data}\n\n`);
  });

  it('resumes after the last seen id, filtered by type', () => {
    const log = new EventLog(startedMs);
    for (const event of [message(1), queries, progress('x'), message(2)]) log.add(event);
    assert.deepEqual(numbersOf(log, `${run}-1`), [2, 3, 4]);
    assert.deepEqual(numbersOf(log, `${run}-1`, new Set<EventType>(['messages'])), [4]);
    assert.deepEqual(log.resume(`${run}-4`, all), { id: `${run}-4`, hasLost: false, events: [] });
    assert.deepEqual(log.resume(undefined, all), { id: `${run}-4`, hasLost: false, events: [] });
  });

  for (const id of ['', 'nonsense', '12', `other-1`, `${run}-99`, `${run}-1x`])
    it(`resumes with all events, and reports a loss, after the invalid id "${id}"`, () => {
      const log = new EventLog(startedMs);
      log.add(message(1));
      const { id: from, hasLost, events } = log.resume(id, all);
      assert.deepEqual([from, hasLost, events.length], [`${run}-0`, true, 1]);
    });

  it('is bounded in bytes, and reports the loss of dropped events', () => {
    const log = new EventLog(startedMs);
    const text = 'x'.repeat(10_000);
    for (let i = 0; i < 50; i++) log.add(progress(text));
    const resumed = log.resume(`${run}-0`, all);
    const keptBytes = resumed.events.reduce((sum, { bytes }) => sum + bytes.length, 0);
    assert.ok(keptBytes <= limits.eventBytesKept && keptBytes > limits.eventBytesKept / 2, String(keptBytes));
    assert.equal(resumed.hasLost, true);
    assert.equal(log.resume(`${run}-45`, all).hasLost, false);
    assert.deepEqual(numbersOf(log, `${run}-45`), [46, 47, 48, 49, 50]);
  });

  it('does not drop other events for query events, which have their own limit', () => {
    const log = new EventLog(startedMs);
    log.add(message(1));
    for (let i = 0; i < 3000; i++) log.add(queries);
    assert.equal(log.resume(`${run}-0`, new Set<EventType>(['messages'])).hasLost, false);
    assert.equal(log.resume(`${run}-0`, all).hasLost, true);
    const { id } = log.resume(undefined, all);
    assert.equal(log.resume(id, all).hasLost, false);
    log.stopQueries();
    assert.equal(log.resume(id, all).hasLost, true);
    assert.equal(log.resume(log.resume(undefined, all).id, all).hasLost, false);
  });
});

describe('parseTypes', () => {
  const table: readonly (readonly [string, readonly string[] | string])[] = [
    ['lists', ['lists']],
    ['lists, Messages', ['lists', 'messages']],
    ['lists,lists', ['lists']],
    ['lists,dogs', 'dogs'],
    ['', ''],
    ['lists,', ''],
  ];
  for (const [text, wanted] of table)
    it(`reads "${text}" as ${JSON.stringify(wanted)}`, () => {
      const read = parseTypes(text);
      assert.deepEqual('unknown' in read ? read.unknown : [...read], wanted);
    });
});
