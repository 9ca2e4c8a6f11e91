import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { limits } from '#contract';
import type { NewQueries } from '#history/thread';
import type { HistoryRow } from '#history/segments';
import type { Truncated } from './truncate.ts';
import type { QueryRow } from './query-row.ts';
import { HistoryQuerySource } from './query-source.ts';

const row: HistoryRow = {
  id: 7,
  timeMs: 2000,
  domain: 'two.example',
  clientIp: '10.0.0.5',
  clientName: '',
  upstream: '',
  type: 28,
  status: 2,
  reply: 4,
  dnssec: 0,
  ruleId: 0,
  listId: 4,
  durationUs: 1500,
  rcode: 0,
  ede: -1,
  cname: '',
};

function startedSource() {
  const listeners = new Set<(queries: NewQueries) => void>();
  const source = new HistoryQuerySource({
    subscribeToQueries: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });
  const batches: Truncated<QueryRow>[] = [];
  source.start((batch) => batches.push(batch));
  const publish = (rows: readonly HistoryRow[], skipped = 0): void =>
    listeners.forEach((listener) => listener({ rows, skipped }));
  return { source, listeners, batches, publish };
}

describe('batches of queries for events', () => {
  it('are ordered by time, with the names of the API', () => {
    const { batches, publish } = startedSource();
    publish([
      row,
      { ...row, id: 6, domain: 'one.example', timeMs: 1500, status: 5, ruleId: 7, listId: 0 },
      { ...row, id: 8, timeMs: 2500, clientName: 'pad.lan', upstream: '192.0.2.1#53' },
    ]);
    const client = { ip: '10.0.0.5', name: null };
    const common = { id: 7, type: 'AAAA', client, upstream: null, reply: { type: 'IP', time: 0.0015 } };
    assert.deepEqual(batches, [
      {
        kept: [
          { ...common, id: 6, time: 1.5, domain: 'one.example', status: 'DENYLIST', list_id: 7 },
          { ...common, time: 2, domain: 'two.example', status: 'FORWARDED', list_id: -6 },
          {
            ...common,
            id: 8,
            time: 2.5,
            domain: 'two.example',
            client: { ...client, name: 'pad.lan' },
            upstream: '192.0.2.1#53',
            status: 'FORWARDED',
            list_id: -6,
          },
        ],
        leftOut: 0,
      },
    ]);
  });

  it('are limited to the size of one event, and the remaining queries are counted', () => {
    const { batches, publish } = startedSource();
    const domain = '\\001'.repeat(250);
    publish(
      Array.from({ length: limits.eventItems }, () => ({ ...row, domain })),
      50,
    );
    const [batch] = batches;
    assert.ok(batch !== undefined && batch.kept.length > 10);
    assert.equal(batch.kept.length + batch.leftOut, limits.eventItems + 50);
    assert.ok(JSON.stringify(batch).length < limits.eventBytes + 200);
  });

  it('are no longer received after stop()', () => {
    const { source, listeners } = startedSource();
    assert.equal(listeners.size, 1);
    source.stop();
    assert.equal(listeners.size, 0);
  });
});
