// All queries that fit, as CSV and as lines of JSON, over more than one part of the reply.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { blockedOnly } from '../history/naive-history.ts';
import { csvCell } from './query-export.ts';
import { historyScene, textOf, type Json } from './test-history-scene.ts';

const scene = historyScene();

describe('export', () => {
  test('lines of JSON', async () => {
    const { type, text } = await scene.live({ format: 'jsonl' });
    assert.equal(type, 'application/x-ndjson; charset=utf-8');
    const lines = text.trimEnd().split('\n');
    assert.equal(lines.length, scene.rows.length);
    // Lines of JSON, looked at by the names of their fields.
    const ids = lines.map((line) => Number((JSON.parse(line) as Json)['id']));
    assert.deepEqual(ids, scene.rows.map(({ id }) => id).toReversed());
    const { queries } = await scene.ask('getQueries', { length: '1' });
    assert.deepEqual(JSON.parse(lines[0] ?? ''), queries?.['0']);
  });

  test('CSV of what fits', async () => {
    const { type, text } = await scene.live({ upstream: 'blocklist' });
    assert.equal(type, 'text/csv; charset=utf-8');
    const [head, ...lines] = text.split('\r\n');
    const columns =
      'id,time,type,status,dnssec,domain,upstream,reply_type,reply_time,client_ip,client_name,list_id,' +
      'ede_code,ede_text,cname';
    assert.equal(head, columns);
    assert.equal(lines.pop(), '');
    const expected = blockedOnly(scene.rows).toReversed();
    assert.deepEqual(
      lines.map((line) => [line.split(',')[0], line.split(',')[5]]),
      expected.map(({ id, domain }) => [String(id), domain]),
    );
  });

  test('nothing that fits, and what is refused', async () => {
    assert.equal((await scene.live({ domain: 'nowhere.example', format: 'jsonl' })).text, '');
    assert.equal((await scene.refused('exportQueries', { type: 'X' })).message, 'Requested type is invalid');
    assert.equal((await scene.refused('exportQueries', { format: 'xml' })).message, 'Invalid parameter');
  });

  test('privacy levels', async (context) => {
    context.after(() => (scene.privacyLevel = 0));
    scene.privacyLevel = 2;
    const [line = ''] = (await scene.live({ format: 'jsonl' })).text.split('\n');
    // A line of JSON, looked at by the names of its fields.
    const { domain, client } = JSON.parse(line) as Json;
    assert.deepEqual([textOf(domain), client], ['hidden', { ip: '0.0.0.0', name: null }]);
    scene.privacyLevel = 3;
    assert.equal((await scene.live({ format: 'jsonl' })).text, '');
  });
});

test('cells of CSV', () => {
  const table: readonly (readonly [string | number | null, string])[] = [
    [null, ''],
    [-3, '-3'],
    ['a.example', 'a.example'],
    ['a,b', '"a,b"'],
    ['a"b', '"a""b"'],
    ['=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
    ['-a.example', "'-a.example"],
  ];
  for (const [value, text] of table) assert.equal(csvCell(value), text);
});
