import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { splitLines } from '../lines.ts';
import { eventLines } from './event-lines.ts';
import { parseEvents, type ServiceEvent } from './parse-events.ts';

describe('parsing of events', () => {
  it('gives the same events wherever the text is cut into chunks', () => {
    const hello = 'retry: 2000\nid: x-0\nevent: hello\ndata: {"time":1}\n\n';
    const text = `${hello}:\n\nid: x-1\nevent: lost\ndata: {"text":"a\\nb"}\n\n`;
    for (const size of [1, 7, text.length]) {
      const events: ServiceEvent[] = [];
      const onText = splitLines(parseEvents((event) => events.push(event)));
      for (let at = 0; at < text.length; at += size) onText(text.slice(at, at + size));
      assert.deepEqual(events, [
        { name: 'hello', data: { time: 1 } },
        { name: 'lost', data: { text: 'a\nb' } },
      ]);
    }
  });
});

describe('the lines of an event', () => {
  const time = new Date(2026, 0, 2, 3, 4, 5).getTime() / 1000;
  const item = { entity: 'group', id: 1, name: 'Kids', change: 'created' };
  const query = {
    time,
    type: 'A',
    domain: 'a.example',
    client: { ip: '10.0.0.5' },
    status: 'GRAVITY',
    reply: { type: 'IP', time: 0 },
    list_id: 2,
  };
  const table: readonly (readonly [string, object, readonly string[]])[] = [
    ['hello', { types: [] }, []],
    ['queries', { queries: [query], left_out: 0 }, ['query             A  a.example  10.0.0.5  GRAVITY  IP']],
    ['queries', { queries: [], left_out: 9 }, ['queries           and 9 more (not shown)']],
    [
      'settings.changed',
      { changes: [{ key: 'dns.localTTL', before: 1, after: 2 }], left_out: 0 },
      ['settings.changed  dns.localTTL: 1 -> 2'],
    ],
    ['policy.changed', { changes: [item], left_out: 0 }, ['policy.changed    group 1 "Kids" created']],
    [
      'policy.changed',
      { changes: [{ ...item, name: null }], left_out: 3 },
      ['policy.changed    group 1 created', 'policy.changed    and 3 more (not shown)'],
    ],
    ['lists.reported', { lists: [1, 2], left_out: 0 }, ['lists.reported    lists 1, 2']],
    ['lists.progress', { list: 1, text: 'a\u001b[2J' }, ['lists.progress    a\\u001b[2J']],
    ['lists.compiled', { names: 7, problem: null }, ['lists.compiled    7 names are in force']],
    ['lists.compiled', { names: 0, problem: 'no room' }, ['lists.compiled    no room']],
    ['messages.changed', { count: 2 }, ['messages.changed  2 diagnosis messages']],
    [
      'blocking.changed',
      { blocking: false, timer: 30, pauses: 2 },
      ['blocking.changed  blocking is off, for 30 s; 2 paused'],
    ],
    ['blocking.changed', { blocking: true, timer: null, pauses: 0 }, ['blocking.changed  blocking is on']],
    ['news', { x: 1 }, [`news              {"time":${time},"x":1}`]],
  ];
  for (const [name, data, lines] of table)
    it(`${name} ${JSON.stringify(data)}`, () => {
      const wanted = lines.map((line) => `03:04:05  ${line}`);
      assert.deepEqual(eventLines({ name, data: { time, ...data } }), wanted);
    });
});
