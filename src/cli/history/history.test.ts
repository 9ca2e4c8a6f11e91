// What the history commands print, with replies that the tests provide.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endpoints } from '#contract';
import { createClient, type ClientReply } from '#contract/client';
import { exitCodes } from '../exit-codes.ts';
import { recorder } from '#testing/cli/terminal';
import { followQueries, showQueries } from './queries.ts';
import { showStats } from './stats.ts';
import { showTop } from './top.ts';

function scene(...replies: readonly ClientReply[]) {
  const paths: string[] = [];
  const { out, err, terminal } = recorder();
  const left = [...replies];
  const call = createClient(({ path }) => {
    paths.push(path);
    return Promise.resolve(left.shift() ?? { status: 503, body: { error: { message: 'Gone', hint: null } } });
  });
  return { paths, out, err, talk: { call, terminal } };
}

const page = endpoints.getQueries.replies[200].example;
const [query] = page.queries;

function withIds(...ids: readonly number[]): ClientReply {
  return {
    status: 200,
    body: { ...page, queries: ids.map((id) => ({ ...query, id, domain: `q${id}.example` })), cursor: ids[0] },
  };
}

describe('sluice queries', () => {
  it('prints the newest last', async () => {
    const { talk, out, paths } = scene(withIds(9, 8));
    const options = { count: 2, domain: '*.example', client: '10.0.0.1', type: 'A', status: 'CACHE' };
    assert.equal(await showQueries(talk, { ...options, upstream: 'cache' }), exitCodes.ok);
    assert.deepEqual(paths, [
      '/api/queries?domain=*.example&client_ip=10.0.0.1&type=A&status=CACHE&upstream=cache&length=2',
    ]);
    assert.deepEqual(
      out.map((line) => line.split(/\s{2,}/u).slice(1)),
      [8, 9].map((id) => ['tablet.lan', 'A', 'FORWARDED', 'IP', '12.3 ms', `q${id}.example`]),
    );
  });

  it('reports that there are no queries, and why a request failed', async () => {
    const none = scene({ status: 200, body: { ...page, queries: [] } });
    assert.equal(await showQueries(none.talk, {}), exitCodes.ok);
    assert.deepEqual([none.out, none.err], [[], ['There are no such queries.']]);
    const gone = scene();
    assert.equal(await showQueries(gone.talk, {}), exitCodes.failed);
    assert.deepEqual(gone.err, ['The queries cannot be listed: Gone']);
  });

  it('with --follow shows each new query once', async () => {
    let waits = 0;
    const { talk, out } = scene(withIds(3, 2), withIds(5, 4, 3, 2), withIds(5, 4));
    const wait = (): Promise<void> => Promise.resolve(void waits++);
    assert.equal(await followQueries(talk, { json: true }, wait), exitCodes.failed);
    // Lines of JSON with an id each.
    const ids = out.map((line) => (JSON.parse(line) as { id: number }).id);
    assert.deepEqual([ids, waits], [[2, 3, 4, 5], 3]);
  });
});

describe('sluice stats', () => {
  it('prints the summary as a few lines', async () => {
    const summary = { ...endpoints.getSummary.replies[200].example, truncated: true };
    const { talk, out, err, paths } = scene({ status: 200, body: summary });
    assert.equal(await showStats(talk, { client: '10.*' }), exitCodes.ok);
    assert.deepEqual(paths, ['/api/stats/summary?client=10.*']);
    assert.match(out.join('\n'), /^queries +1000 +0\.5 per second now\nblocked +200 +20\.0 %\n/u);
    assert.match(err.join(), /older queries are missing/u);
  });
});

describe('sluice top', () => {
  const domains = { status: 200, body: endpoints.getTopDomains.replies[200].example };
  const clients = { status: 200, body: endpoints.getTopClients.replies[200].example };

  it('prints the three rankings', async () => {
    const { talk, out, paths } = scene(domains, domains, clients);
    assert.equal(await showTop(talk, undefined, { count: 5 }), exitCodes.ok);
    assert.deepEqual(paths, [
      '/api/stats/top_domains?count=5&blocked=false',
      '/api/stats/top_domains?count=5&blocked=true',
      '/api/stats/top_clients?count=5',
    ]);
    assert.equal(out[0], 'queries  permitted domain\n100      example.org');
    assert.equal(out.at(-1), 'queries  client\n100      tablet.lan (192.168.1.5)');
  });

  it('prints one ranking as JSON with --json', async () => {
    const { talk, out } = scene(clients);
    assert.equal(await showTop(talk, 'clients', { json: true }), exitCodes.ok);
    assert.deepEqual(JSON.parse(out.join('')), {
      clients: endpoints.getTopClients.replies[200].example.clients,
    });
  });
});
