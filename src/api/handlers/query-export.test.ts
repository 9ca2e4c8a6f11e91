// The export of all matching queries, as CSV and as lines of JSON, in more than one part.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { blockedOnly } from '#testing/history/naive-history';
import type { HistoryReader, QuestionResult } from '#history/thread';
import { createExportHandlers, csvCell } from './query-export.ts';
import { historyScene, nowMs, textOf, type Json } from '#testing/api/history-scene';

const scene = historyScene();

describe('export', () => {
  test('JSON lines contain every query', async () => {
    const { type, text } = await scene.live({ format: 'jsonl' });
    assert.equal(type, 'application/x-ndjson; charset=utf-8');
    const lines = text.trimEnd().split('\n');
    assert.equal(lines.length, scene.rows.length);
    // Lines of JSON, read by the names of their fields.
    const ids = lines.map((line) => Number((JSON.parse(line) as Json)['id']));
    assert.deepEqual(ids, scene.rows.map(({ id }) => id).toReversed());
    const { queries } = await scene.ask('getQueries', { length: '1' });
    assert.deepEqual(JSON.parse(lines[0] ?? ''), queries?.['0']);
  });

  test('CSV contains the queries that match the filter', async () => {
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

  test('an export without matches is empty, and wrong parameters are refused', async () => {
    assert.equal((await scene.live({ domain: 'nowhere.example', format: 'jsonl' })).text, '');
    assert.equal((await scene.refused('exportQueries', { type: 'X' })).message, 'Requested type is invalid');
    assert.equal((await scene.refused('exportQueries', { format: 'xml' })).message, 'Invalid parameter');
  });

  /** Answers pages as changed by `cut`, which may shorten them as if they had timed out. */
  const slowly = (cut: (page: QuestionResult<'page'>) => QuestionResult<'page'>): HistoryReader => ({
    query: async (name, question, options) => {
      const answer = await scene.inPlace.query(name, question, options);
      if (name !== 'page' || !answer.ok) return answer;
      // The answer to a question for a page.
      return { ok: true, value: cut(answer.value as QuestionResult<'page'>) };
    },
  });

  test('a page that timed out is continued where it ended', async (context) => {
    context.after(() => (scene.reader = undefined));
    scene.reader = slowly((page) => {
      const rows = page.rows.slice(0, 700);
      return page.rows.length <= 700 ? page : { ...page, rows, isCut: true, next: rows.at(-1)?.id };
    });
    const { text } = await scene.live({ format: 'jsonl' });
    assert.equal(text.trimEnd().split('\n').length, scene.rows.length);
  });

  test('an export that fails midway throws an error', async (context) => {
    context.after(() => (scene.reader = undefined));
    scene.reader = slowly((page) => ({ ...page, next: undefined, isCut: true }));
    await assert.rejects(scene.live({ format: 'jsonl' }), /cut off: it took too long/);
    let last: number | undefined;
    scene.reader = slowly((page) => {
      last ??= page.next;
      return { ...page, next: last, isCut: true };
    });
    await assert.rejects(scene.live({}), /cut off: the disk is too slow/);
    let begunMs = 0;
    scene.reader = slowly((page) => ({ ...page, begunMs: begunMs++ }));
    await assert.rejects(scene.live({}), /cut off: the history was broken/);
    let pages = 0;
    scene.reader = {
      query: (name, question, options) =>
        pages++ === 0
          ? scene.inPlace.query(name, question, options)
          : Promise.resolve({ ok: false, problem: 'It is gone.' }),
    };
    await assert.rejects(scene.live({}), /cut off: "It is gone\."/);
  });

  test('a client that disconnects ends the export without an error', async () => {
    const connection = new AbortController();
    let asked = 0;
    const gone = (): AbortSignal => {
      asked++;
      return connection.signal;
    };
    const history: HistoryReader = {
      query: async (name, question, options) => {
        if (options.signal?.aborted === true) return { ok: false, problem: 'The client has disconnected.' };
        return scene.inPlace.query(name, question, options);
      },
    };
    const parts = { history, nowMs: () => nowMs, privacyLevel: () => 0, membersOf: assert.fail };
    const { exportQueries } = createExportHandlers(parts);
    const request = { params: {}, query: { format: 'jsonl' }, body: undefined } as const;
    const outcome = await exportQueries({
      ...request,
      gone,
      caller: undefined,
      ifMatch: undefined,
      from: assert.fail,
    });
    assert.ok('live' in outcome);
    let length = 0;
    for await (const part of outcome.live.parts) {
      length += part.length;
      if (length > 1_500_000) connection.abort();
    }
    assert.ok(length > 1_500_000);
    assert.equal(asked, 1);
  });

  test('privacy levels hide domains, clients and the log', async (context) => {
    context.after(() => (scene.privacyLevel = 0));
    scene.privacyLevel = 2;
    const [line = ''] = (await scene.live({ format: 'jsonl' })).text.split('\n');
    // A line of JSON, read by the names of its fields.
    const { domain, client } = JSON.parse(line) as Json;
    assert.deepEqual([textOf(domain), client], ['hidden', { ip: '0.0.0.0', name: null }]);
    scene.privacyLevel = 3;
    assert.equal((await scene.live({ format: 'jsonl' })).text, '');
  });
});

test('cells of CSV are quoted if necessary, and formulas become text', () => {
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
