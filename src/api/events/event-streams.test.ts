import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { limits, type EventType, type PushTarget } from '#contract';
import { EventHub } from './event-hub.ts';
import { EventStreams, type EventReader } from './event-streams.ts';
import { queryFilterOf } from './query-filter.ts';
import type { QueryRow } from './query-row.ts';

/** The client end of a connection. It reads everything at once, or as if `waiting` bytes were unread. */
class Listener implements PushTarget {
  text = '';
  hasEnded = false;
  waiting = 0;
  #gone: () => void = () => undefined;

  readonly write = (bytes: Uint8Array): void => {
    assert.equal(this.hasEnded, false, 'no bytes are written after the end');
    this.text += Buffer.from(bytes).toString();
  };
  readonly waitingBytes = (): number => this.waiting;
  readonly end = (bytes: Uint8Array): void => {
    this.write(bytes);
    this.hasEnded = true;
  };
  readonly onGone = (gone: () => void): void => void (this.#gone = gone);

  leave(): void {
    this.#gone();
  }

  names(): readonly string[] {
    return [...this.text.matchAll(/^event: (.+)$/gmu)].map(([, name = '']) => name);
  }

  ids(): readonly string[] {
    return [...this.text.matchAll(/^id: (.+)$/gmu)].map(([, id = '']) => id);
  }

  /** The data of the last event. */
  last(): unknown {
    return JSON.parse([...this.text.matchAll(/^data: (.+)$/gmu)].at(-1)?.[1] ?? 'null');
  }
}

const times = { heartbeatMs: 50, sessionCheckMs: 20, lingerMs: 300 };

function scene(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  const hub = new EventHub(() => 5000);
  const source: string[] = [];
  const queries = { start: () => source.push('start'), stop: () => source.push('stop') };
  const streams = new EventStreams({ hub, queries, wallMs: () => 5000, ...times });
  const join = (wanted: Partial<EventReader> = {}): Listener => {
    const listener = new Listener();
    streams.open(listener, {
      types: new Set<EventType>(['lists', 'messages']),
      filter: undefined,
      lastId: undefined,
      address: '10.0.0.1',
      sessionId: undefined,
      isAllowed: () => true,
      ...wanted,
    });
    return listener;
  };
  const emit = (count: number): void => hub.emit('messages.changed', { count });
  return { hub, streams, source, join, emit, tick: (ms: number) => t.mock.timers.tick(ms) };
}

describe('readers of events', () => {
  it('get a greeting and the events of their types', (t) => {
    const { hub, join, emit } = scene(t);
    const [one, other] = [join(), join({ types: new Set<EventType>(['blocking']) })];
    emit(1);
    hub.emit('blocking.changed', { blocking: false, timer: 9, pauses: 1 });
    assert.deepEqual(one.names(), ['hello', 'messages.changed']);
    assert.match(one.text, /^retry: 2000\nid: \w+-0\nevent: hello\n/u);
    assert.deepEqual(one.last(), { time: 5, count: 1 });
    assert.deepEqual(other.names(), ['hello', 'blocking.changed']);
    assert.deepEqual(other.last(), { time: 5, blocking: false, timer: 9, pauses: 1 });
  });

  it('continue after their last event id', (t) => {
    const { join, emit } = scene(t);
    const before = join();
    emit(1);
    before.leave();
    emit(2);
    const again = join({ lastId: before.ids().at(-1) });
    assert.deepEqual(again.names(), ['hello', 'messages.changed']);
    assert.deepEqual(again.last(), { time: 5, count: 2 });
    assert.equal(again.ids()[0], before.ids().at(-1), 'the greeting repeats the last id');
    assert.deepEqual(before.names(), ['hello', 'messages.changed']);
  });

  it('get a "lost" event when events were lost', (t) => {
    const { join, emit } = scene(t);
    emit(1);
    assert.deepEqual(join({ lastId: 'other-7' }).names(), ['hello', 'lost', 'messages.changed']);
  });

  it('get a heartbeat while there are no events', (t) => {
    const { join, tick } = scene(t);
    const listener = join();
    const { length } = listener.text;
    tick(2 * times.heartbeatMs);
    assert.equal(listener.text.slice(length), ':\n\n:\n\n');
  });

  it('that read too slowly are disconnected with an "end" event; others stay connected', (t) => {
    const { streams, join, emit } = scene(t);
    const [slow, quick] = [join(), join()];
    slow.waiting = limits.eventBytesWaiting - 200;
    emit(1);
    assert.equal(slow.hasEnded, false);
    slow.waiting = limits.eventBytesWaiting;
    emit(2);
    assert.deepEqual(slow.names(), ['hello', 'messages.changed', 'end']);
    assert.match(JSON.stringify(slow.last()), /"reason":"slow","text":"Too much was waiting/u);
    assert.equal(slow.hasEnded, true);
    emit(3);
    assert.equal(quick.names().length, 4);
    streams.close('stopping');
  });

  it('whose session has ended get an "end" event, with the next event or the next check', (t) => {
    const { join, emit, tick } = scene(t);
    let isAllowed = true;
    const [one, other] = [join({ isAllowed: () => isAllowed }), join()];
    isAllowed = false;
    emit(1);
    assert.deepEqual(one.names(), ['hello', 'end']);
    assert.match(JSON.stringify(one.last()), /"reason":"session"/u);
    isAllowed = true;
    const third = join({ isAllowed: () => isAllowed });
    isAllowed = false;
    tick(times.sessionCheckMs);
    assert.deepEqual(third.names(), ['hello', 'end']);
    assert.deepEqual(other.names(), ['hello', 'messages.changed']);
  });

  it('get an "end" event with a retry time when the service stops', (t) => {
    const { streams, join, emit, tick } = scene(t);
    const listener = join();
    streams.close('restarting');
    assert.match(listener.text, /\nretry: 500\nevent: end\ndata: \{"time":5,"reason":"restarting"/u);
    assert.equal(streams.isClosed, true);
    emit(1);
    tick(1000);
    assert.deepEqual(listener.names(), ['hello', 'end']);
  });
});

describe('the number of readers', () => {
  const who = { address: '10.0.0.1', sessionId: 4 };

  it('is limited per session, per address and in total', (t) => {
    const { streams, join } = scene(t);
    const mine = Array.from({ length: limits.eventReadersPerSession - 1 }, () => join(who));
    assert.equal(streams.capacityProblem(who), undefined);
    mine.push(join(who));
    assert.match(streams.capacityProblem(who) ?? '', /^This session has 16 streams/u);
    assert.equal(streams.capacityProblem({ ...who, sessionId: 5 }), undefined);
    while (mine.length < limits.eventReadersPerAddress) mine.push(join());
    assert.match(streams.capacityProblem({ ...who, sessionId: 5 }) ?? '', /^This address has 64 streams/u);
    mine[0]?.leave();
    assert.equal(streams.capacityProblem({ ...who, sessionId: undefined }), undefined);
    for (let i = mine.length - 1; i < limits.eventReaders; i++) join({ address: `10.1.${i >> 5}.1` });
    assert.match(
      streams.capacityProblem({ address: '10.9.9.9', sessionId: 9 }) ?? '',
      /^There are 1024 streams/u,
    );
  });
});

describe('query events', () => {
  const types = new Set<EventType>(['queries']);

  it('are subscribed to while a reader wants them, and for the linger time after it', (t) => {
    const { source, join, tick } = scene(t);
    join();
    assert.deepEqual(source, []);
    const [one, other] = [join({ types }), join({ types })];
    assert.deepEqual(source, ['start']);
    one.leave();
    tick(times.lingerMs);
    assert.deepEqual(source, ['start']);
    other.leave();
    tick(times.lingerMs - 1);
    const again = join({ types, lastId: other.ids().at(-1) });
    tick(times.lingerMs);
    assert.deepEqual([source, again.names()], [['start'], ['hello']]);
    again.leave();
    tick(times.lingerMs);
    assert.deepEqual(source, ['start', 'stop']);
    assert.deepEqual(join({ types, lastId: again.ids().at(-1) }).names(), ['hello', 'lost']);
    assert.deepEqual(source, ['start', 'stop', 'start']);
  });

  const row = (id: number, domain: string): QueryRow => ({
    id,
    time: 5,
    type: 'A',
    domain,
    client: { ip: '10.0.0.5', name: null },
    upstream: null,
    status: 'GRAVITY',
    reply: { type: 'IP', time: 0 },
    list_id: null,
  });
  const idsOf = (listener: Listener): unknown =>
    Object(listener.last()).queries?.map((query: QueryRow) => query.id);

  it('are filtered for each reader, also after a reconnect', (t) => {
    const { hub, join } = scene(t);
    const filter = queryFilterOf({ domain: '*.a.example' });
    const [all, some] = [join({ types }), join({ types, filter })];
    const { length } = some.text;
    hub.emit('queries', { kept: [row(1, 'b.example')], leftOut: 0 });
    assert.equal(some.text.length, length, 'no query of the batch matches the filter');
    const seen = all.ids().at(-1);
    hub.emit('queries', { kept: [row(2, 'b.example'), row(3, 'x.a.example')], leftOut: 4 });
    assert.deepEqual([idsOf(all), idsOf(some)], [[2, 3], [3]]);
    assert.deepEqual([all.ids().at(-1), Object(some.last()).left_out], [some.ids().at(-1), 4]);
    const again = join({ types, filter, lastId: seen });
    assert.deepEqual([again.names(), idsOf(again)], [['hello', 'queries'], [3]]);
  });

  it('are filtered once for all readers with the same filter', (t) => {
    const { hub, join } = scene(t);
    let calls = 0;
    const filterOnce = { key: 'same', matches: () => ++calls > 0 };
    const readers = Array.from({ length: 100 }, () => join({ types, filter: { ...filterOnce } }));
    hub.emit('queries', { kept: [row(1, 'a.example')], leftOut: 0 });
    assert.equal(calls, 1);
    assert.ok(readers.every((reader) => reader.names().includes('queries')));
  });

  it('are unsubscribed from when the service stops', (t) => {
    const { streams, source, join } = scene(t);
    join({ types });
    streams.close('stopping');
    assert.deepEqual(source, ['start', 'stop']);
  });
});
