import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventHub, maxListeners, type ServiceEvent } from './event-hub.ts';

function progress(text: string) {
  return { listId: 1, text };
}

describe('events', () => {
  it('reach a listener in order, with their time, while it is subscribed', () => {
    let nowMs = 1000;
    const hub = new EventHub(() => nowMs++);
    const seen: ServiceEvent[] = [];
    hub.emit('lists.progress', progress('before'));
    const end = hub.subscribe((event) => seen.push(event));
    hub.emit('lists.progress', progress('now'));
    hub.emit('messages.changed', { count: 2 });
    end?.();
    hub.emit('lists.progress', progress('after'));
    assert.deepEqual(seen, [
      { atMs: 1001, name: 'lists.progress', data: progress('now') },
      { atMs: 1002, name: 'messages.changed', data: { count: 2 } },
    ]);
  });

  it('reach the other listeners when one throws', () => {
    const hub = new EventHub(() => 0);
    let received = 0;
    hub.subscribe(() => {
      throw new Error('a fault of the listener');
    });
    hub.subscribe(() => received++);
    hub.emit('messages.changed', { count: 1 });
    assert.equal(received, 1);
  });

  it('have a limited number of listeners', () => {
    const hub = new EventHub(() => 0);
    const listener = (): void => undefined;
    const ends = Array.from({ length: maxListeners }, () => hub.subscribe(listener));
    assert.ok(ends.every((end) => end !== undefined));
    assert.equal(hub.subscribe(listener), undefined);
    ends[0]?.();
    assert.notEqual(hub.subscribe(listener), undefined);
  });
});
