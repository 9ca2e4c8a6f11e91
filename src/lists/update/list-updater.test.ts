import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { builtInAddress } from '../compile/built-in.ts';
import { triesPerUpdate } from '../list-limits.ts';
import {
  listServer,
  sudo,
  temporaryFolder,
  testUpdater,
  textPage,
  type Page,
} from '#testing/lists/list-scene';
import type { UpdateProgress } from './update-progress.ts';

function ignore(): void {
  return undefined;
}

/** No fetch moves to an extra place, however long it takes. */
const noExtraPlaces = { patienceMs: 60_000, beside: 0 };

describe('an update', () => {
  it('returns for each list the status downloaded, unchanged or unavailable', async (t) => {
    const { updater, copies } = await testUpdater(temporaryFolder(t));
    let isUp = true;
    const page: Page = (request, response) => {
      if (!isUp) response.writeHead(404).end();
      else if (request.headers['if-none-match'] === '"1"') response.writeHead(304).end();
      else response.writeHead(200, { etag: '"1"' }).end('ads.example\n');
    };
    const base = await listServer(t, { '/list': page });
    const lists = [
      { ...sudo, id: 1, address: `${base}/list` },
      { ...sudo, id: 2, address: `${base}/none` },
      { ...sudo, id: 3, address: builtInAddress },
    ];
    const statuses = async (): Promise<number[]> =>
      (await updater.update(lists, ignore)).map(({ status }) => status);
    assert.deepEqual(await statuses(), [1, 4, 1]);
    assert.deepEqual(await statuses(), [2, 4, 2]);
    isUp = false;
    assert.deepEqual(await statuses(), [3, 4, 2]);
    const [outcome] = await updater.update(lists, ignore);
    assert.match(outcome?.reason ?? '', /not there any more/);
    assert.deepEqual([outcome?.version, outcome?.fetchedMs, outcome?.report?.entries], [1, 1_000_000, 1]);
    assert.equal(copies.newest(2), undefined);
    assert.ok((copies.newest(3)?.report.entries ?? 0) >= 100);
  });

  it('shows no invalid lines of a local file, neither in the report nor in the reason', async (t) => {
    const folder = temporaryFolder(t);
    const { updater, copies } = await testUpdater(folder);
    const address = pathToFileURL(join(folder, 'secrets.txt')).href;
    writeFileSync(new URL(address), 'ads.example\naddress=/x.example/hunter2\n');
    await updater.update([{ ...sudo, id: 1, address }], ignore);
    const report = copies.newest(1)?.report;
    assert.deepEqual([report?.entries, report?.invalid, report?.samples], [1, 1, []]);
    writeFileSync(new URL(address), 'address=/x.example/hunter2\n');
    const [outcome] = await updater.update([{ ...sudo, id: 1, address }], ignore);
    assert.match(outcome?.reason ?? '', /None of its 1 lines is a DNS rule\. Check/);
  });

  const notLists: readonly (readonly [string, string | Uint8Array, RegExp])[] = [
    ['an HTML page', '<!DOCTYPE html><html><body>Log in</body></html>', /page for browsers/],
    ['an HTML page after blank lines', '\n\n  <html>', /page for browsers/],
    ['an empty file', '', /empty/],
    ['blank lines', '\n \n', /empty/],
    ['a program', new Uint8Array(5000).fill(1), /not a text/],
    ['comments', '# nothing\n! here\n', /None of its 2 lines/],
    ['an error text', '404: Not Found\n', /None of its 1 lines/],
    ['JSON', '{"error": "quota exceeded"}\n', /None of its 1 lines/],
  ];
  for (const [title, text, reason] of notLists) {
    it(`keeps the last good copy when the server sends ${title}`, async (t) => {
      const folder = temporaryFolder(t);
      const { updater, copies } = await testUpdater(folder);
      let now: string | Uint8Array = text;
      const page: Page = (request, response) => textPage(now)(request, response);
      const lists = [{ ...sudo, id: 1, address: `${await listServer(t, { '/list': page })}/list` }];
      const [first] = await updater.update(lists, ignore);
      assert.equal(first?.status, 4);
      assert.match(first?.reason ?? '', reason);
      now = 'ads.example\n';
      assert.equal((await updater.update(lists, ignore))[0]?.status, 1);
      now = text;
      assert.equal((await updater.update(lists, ignore))[0]?.status, 3);
      assert.equal(copies.all(1).length, 1);
      assert.deepEqual(readdirSync(join(folder, '1')).toSorted(), ['1.json', '1.zst']);
    });
  }

  it('retries with exponential backoff, and reports every step', async (t) => {
    const { updater, waits } = await testUpdater(temporaryFolder(t), { firstBackoffMs: 1000 });
    let requests = 0;
    const page: Page = (request, response) =>
      ++requests < triesPerUpdate
        ? void response.writeHead(503).end()
        : textPage('ads.example')(request, response);
    const base = await listServer(t, { '/list': page });
    const steps: string[] = [];
    const onProgress = (progress: UpdateProgress): void => void steps.push(progress.step);
    const [outcome] = await updater.update([{ ...sudo, id: 1, address: `${base}/list` }], onProgress);
    assert.equal(outcome?.status, 1);
    assert.deepEqual(waits, [1000, 2000]);
    assert.deepEqual(steps, ['fetching', 'retrying', 'retrying', 'examining', 'finished']);
  });

  it('gives up after a few retries, and does not retry permanent errors', async (t) => {
    const { updater, waits } = await testUpdater(temporaryFolder(t));
    const sent: number[] = [];
    const answering =
      (status: number): Page =>
      (_request, response) => {
        sent.push(status);
        response.writeHead(status).end();
      };
    const base = await listServer(t, { '/busy': answering(500), '/gone': answering(410) });
    await updater.update([{ ...sudo, id: 1, address: `${base}/busy` }], ignore);
    await updater.update([{ ...sudo, id: 2, address: `${base}/gone` }], ignore);
    assert.deepEqual(sent, [...Array.from({ length: triesPerUpdate }, () => 500), 410]);
    assert.equal(waits.length, triesPerUpdate - 1);
  });

  it('fetches a limited number of lists in parallel', async (t) => {
    const { updater } = await testUpdater(temporaryFolder(t), { parallel: 3, patience: noExtraPlaces });
    let inside = 0;
    let most = 0;
    const page: Page = (_request, response) => {
      most = Math.max(most, ++inside);
      setTimeout(() => {
        inside -= 1;
        response.end('ads.example\n');
      }, 100);
    };
    const base = await listServer(t, { '/list': page });
    const lists = Array.from({ length: 12 }, (_, id) => ({ ...sudo, id, address: `${base}/list` }));
    const outcomes = await updater.update(lists, ignore);
    assert.ok(outcomes.every(({ status }) => status === 1));
    assert.equal(most, 3);
  });

  for (const [title, isUrgent, patience] of [
    ['slow servers do not delay the fetch from other servers', false, { patienceMs: 50, beside: 4 }],
    ['an urgent fetch does not wait for scheduled ones', true, noExtraPlaces],
  ] as const)
    it(title, async (t) => {
      const { updater } = await testUpdater(temporaryFolder(t), { parallel: 4, patience });
      t.after(() => updater.close());
      const base = await listServer(t, { '/never': () => undefined, '/good': textPage('ads.example\n') });
      const slow = [1, 2, 3, 4].map((id) => ({ ...sudo, id, address: `${base}/never` }));
      void updater.update(slow, ignore);
      const [good] = await updater.update([{ ...sudo, id: 5, address: `${base}/good` }], ignore, isUrgent);
      assert.equal(good?.status, 1);
    });

  it('does not fetch a list twice at the same time', async (t) => {
    const { updater } = await testUpdater(temporaryFolder(t));
    let requests = 0;
    const page: Page = (_request, response) => {
      requests += 1;
      setTimeout(() => response.end('ads.example\n'), 50);
    };
    const lists = [{ ...sudo, id: 1, address: `${await listServer(t, { '/list': page })}/list` }];
    const both = await Promise.all([updater.update(lists, ignore), updater.update(lists, ignore)]);
    assert.equal(requests, 1);
    assert.deepEqual(both[0], both[1]);
  });

  it('finishes when the progress callback throws', async (t) => {
    const { updater, copies } = await testUpdater(temporaryFolder(t));
    const base = await listServer(t, { '/list': textPage('ads.example\n') });
    const outcomes = await updater.update([{ ...sudo, id: 1, address: `${base}/list` }], () => {
      throw new Error('the caller hung up');
    });
    assert.equal(outcomes[0]?.status, 1);
    assert.equal(copies.newest(1)?.report.entries, 1);
  });

  it('reports an examination that fails and a disk that cannot be written', async (t) => {
    const examine = (): Promise<never> => Promise.reject(new Error('the thread died'));
    const { updater } = await testUpdater(temporaryFolder(t), { examine });
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, '2'), 'a file where the folder of list 2 should be');
    const other = await testUpdater(folder);
    const path = join(temporaryFolder(t), 'list');
    writeFileSync(path, 'ads.example\n');
    const address = pathToFileURL(path).href;
    const [first] = await updater.update([{ ...sudo, id: 1, address }], ignore);
    const [second] = await other.updater.update([{ ...sudo, id: 2, address }], ignore);
    assert.deepEqual([first?.status, second?.status], [4, 4]);
    assert.match(first?.reason ?? '', /the thread died/);
    assert.match(second?.reason ?? '', /2/);
  });

  it('is aborted when the program stops, and the old copy stays', async (t) => {
    const { updater, copies } = await testUpdater(temporaryFolder(t));
    let isFirst = true;
    const half = Promise.withResolvers<void>();
    const page: Page = (request, response) => {
      if (isFirst) textPage('ads.example\n')(request, response);
      else response.writeHead(200).write('half', () => half.resolve());
      isFirst = false;
    };
    const lists = [{ ...sudo, id: 1, address: `${await listServer(t, { '/list': page })}/list` }];
    await updater.update(lists, ignore);
    const second = updater.update(lists, ignore);
    await half.promise;
    await updater.close();
    assert.equal((await second)[0]?.status, 3);
    assert.equal(copies.findCurrent(1)?.description.version, 1);
  });

  it('does not send the ETag of a previous address', async (t) => {
    const { updater } = await testUpdater(temporaryFolder(t));
    const seen: (string | undefined)[] = [];
    const page: Page = (request, response) => {
      seen.push(request.headers['if-none-match']);
      response.writeHead(200, { etag: '"x"' }).end(`ads.example\n${request.url}\n`);
    };
    const base = await listServer(t, { '/a': page, '/b': page });
    for (const path of ['/a', '/a', '/b'])
      await updater.update([{ ...sudo, id: 1, address: `${base}${path}` }], ignore);
    assert.deepEqual(seen, [undefined, '"x"', undefined]);
  });
});
