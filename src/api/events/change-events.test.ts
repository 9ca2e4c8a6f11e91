import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { limits } from '#contract';
import type { Changed } from '#store/database';
import { emitChanges } from './change-events.ts';
import type { Emit } from './event-hub.ts';

function eventsOf(...changes: readonly Changed[]): (readonly [string, unknown])[] {
  const events: (readonly [string, unknown])[] = [];
  const emit: Emit = (name, data) => void events.push([name, data]);
  emitChanges(emit, changes, 17);
  return events;
}

const group = { id: 3, name: 'Kids', comment: null };

describe('emitChanges', () => {
  it('emits one event for each kind of change', () => {
    const events = eventsOf(
      { entity: 'group', key: '3', before: null, after: group },
      { entity: 'setting', key: 'auth.password', before: '********', after: '********' },
      { entity: 'group', key: '3', before: group, after: { ...group, name: 'Children' } },
      { entity: 'pause', key: '1', before: { id: 1, group_id: 3, client: null, until: 7 }, after: null },
      { entity: 'app', key: '2', before: null, after: { id: 2, name: 'backup' } },
      { entity: 'list', key: '9', before: {}, after: { address: 'x' }, isReport: true },
    );
    assert.deepEqual(events, [
      [
        'settings.changed',
        { version: 17, kept: [{ key: 'auth.password', before: '********', after: '********' }], leftOut: 0 },
      ],
      [
        'apps.changed',
        { version: 17, kept: [{ entity: 'app', id: 2, name: 'backup', change: 'created' }], leftOut: 0 },
      ],
      [
        'policy.changed',
        {
          version: 17,
          kept: [
            { entity: 'group', id: 3, name: 'Kids', change: 'created' },
            { entity: 'group', id: 3, name: 'Children', change: 'changed' },
            { entity: 'pause', id: 1, name: null, change: 'deleted' },
          ],
          leftOut: 0,
        },
      ],
      ['lists.reported', { kept: [9], leftOut: 0 }],
    ]);
  });

  it('emits policy.changed for an expired pause, as for one that was ended', () => {
    const before = { id: 7, group_id: null, client: '10.0.0.1', until: 7 };
    assert.deepEqual(eventsOf({ entity: 'pause', key: '7', before, after: null, isReport: true }), [
      [
        'policy.changed',
        { version: 17, kept: [{ entity: 'pause', id: 7, name: '10.0.0.1', change: 'deleted' }], leftOut: 0 },
      ],
    ]);
  });

  it('names the changed items', () => {
    const table = [
      ['domain', { id: 1, domain: 'a.example' }, 'a.example'],
      ['list', { id: 1, address: 'https://a.example/' }, 'https://a.example/'],
      ['client', { id: 1, client: '10.0.0.1' }, '10.0.0.1'],
      ['pause', { id: 1, client: '10.0.0.1' }, '10.0.0.1'],
    ] as const;
    for (const [entity, after, name] of table)
      assert.deepEqual(eventsOf({ entity, key: '1', before: null, after }), [
        ['policy.changed', { version: 17, kept: [{ entity, id: 1, name, change: 'created' }], leftOut: 0 }],
      ]);
  });

  it('leaves out and counts the items above the limits of an event', () => {
    const many = (name: string): Changed[] =>
      Array.from({ length: 1000 }, (_, id) => ({
        entity: 'domain',
        key: String(id),
        before: null,
        after: { name },
      }));
    assert.match(JSON.stringify(eventsOf(...many('x'))), new RegExp(`"leftOut":${1000 - limits.eventItems}`));
    const large = JSON.stringify(eventsOf(...many('x'.repeat(4000))));
    assert.ok(large.length < limits.eventBytes + 200, String(large.length));
    assert.match(large, /"leftOut":99\d/u);
  });

  it('leaves out long values of settings', () => {
    const after = Array.from({ length: 1000 }, () => '10.0.0.1 nas.lan');
    const [event] = eventsOf({ entity: 'setting', key: 'dns.hosts', before: ['10.0.0.1 nas.lan'], after });
    assert.deepEqual(event?.[1], {
      version: 17,
      kept: [{ key: 'dns.hosts', before: ['10.0.0.1 nas.lan'], after: '(too long for an event)' }],
      leftOut: 0,
    });
  });
});
