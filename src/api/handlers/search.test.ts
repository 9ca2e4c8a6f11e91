// The handler of searches, with prepared results of lists: which rules of the user are found, how entries of
// lists are written, and how hits are counted.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ListSearch, Searched } from '#control/explain';
import type { Request } from '../http/handler.ts';
import type { SearchHit } from '#lists/search';
import { Collection } from '#store/database';
import type { StoredDomain, StoredList } from '#store/database/entities';
import { createSearchHandlers } from './search.ts';

const dates = { date_added: 1, date_modified: 1 };
const rest = { comment: null, enabled: false, groups: [0], group_expiry: {}, ...dates };

function domain(id: number, text: string, kind: StoredDomain['kind'] = 'exact'): StoredDomain {
  return {
    id,
    domain: text,
    kind,
    type: id % 2 === 0 ? 'allow' : 'deny',
    expires_at: null,
    ...rest,
  };
}
function list(id: number, type: StoredList['type']): StoredList {
  return {
    id,
    added_with: 'sudo',
    type,
    address: `https://lists.example/${id}`,
    date_updated: 0,
    number: 0,
    invalid_domains: 0,
    abp_entries: 0,
    status: 0,
    held: false,
    ...rest,
  };
}
const domains = [
  domain(1, 'ads.example'),
  domain(2, '*.ads.example'),
  domain(3, 'ads.example;querytype=A'),
  domain(4, '^ads', 'regex'),
  domain(5, 'example$', 'regex'),
  domain(6, 'xads.example'),
];
const lists = [list(1, 'allow'), list(2, 'block'), list(3, 'block')];

function hit(more: Partial<SearchHit>): SearchHit {
  return {
    listId: 2,
    line: 5,
    text: '',
    about: 'ads.example',
    action: 'block',
    reach: 'exact',
    isPattern: false,
    ...more,
  };
}

function scene(searched: Partial<Searched> | 'busy' = {}) {
  const asked: ListSearch[] = [];
  const { searchByQuery } = createSearchHandlers({
    read: {
      domains: new Collection('domains', ({ domain: text }) => text, domains),
      lists: new Collection('lists', ({ address }) => address, lists),
    },
    search: async (wanted) => {
      asked.push(wanted);
      return searched === 'busy'
        ? undefined
        : { hits: [], counts: [], isComplete: true, regexIds: [], ...searched };
    },
  });
  const ask = async (query: Request<'searchByQuery'>['query']) => {
    const outcome = await searchByQuery({
      params: {},
      query,
      body: undefined,
      caller: undefined,
      ifMatch: undefined,
      from: () => assert.fail('a search does not need the origin of the request'),
    });
    return outcome;
  };
  return { asked, ask };
}

async function found(searched: Partial<Searched>, query: Request<'searchByQuery'>['query']) {
  const outcome = await scene(searched).ask(query);
  assert.ok('body' in outcome && outcome.body !== undefined && 'search' in outcome.body);
  return outcome.body.search;
}

describe("the user's rules that a search finds", () => {
  const rows: readonly (readonly [string, boolean, readonly number[], readonly number[]])[] = [
    ['ads.example', false, [], [1, 2, 3]],
    ['ADS.example.', false, [4], [1, 2, 3, 4]],
    ['x.ads.example', false, [], [2]],
    ['xads.example', false, [5], [5, 6]],
    ['ads', true, [], [1, 2, 3, 4, 6]],
    ['xads', true, [5], [5, 6]],
    ['nothing', true, [], []],
  ];
  for (const [text, partial, regexIds, ids] of rows)
    it(`by the ${partial ? 'partial text' : 'name'} ${text}: ${ids.join() || 'none'}`, async () => {
      const search = await found({ regexIds }, { domain: text, partial });
      assert.deepEqual(
        search.domains.map(({ id }) => id),
        ids,
      );
      const regex = ids.filter((id) => id === 4 || id === 5).length;
      assert.deepEqual(search.results.domains, { exact: ids.length - regex, regex });
    });
});

describe('entries of lists that a search finds', () => {
  const rows: readonly (readonly [Partial<SearchHit>, string])[] = [
    [{}, 'ads.example'],
    [{ reach: 'below' }, '||ads.example^'],
    [{ reach: 'below', action: 'allow' }, '@@||ads.example^'],
    [{ action: 'allow' }, '@@|ads.example^'],
    [{ reach: 'onlyBelow' }, '*.ads.example'],
    [{ reach: 'onlyBelow', action: 'allow' }, '@@*.ads.example'],
    [{ isPattern: true, about: '^ads' }, '/^ads/'],
  ];
  for (const [more, text] of rows)
    it(`are written as ${text}`, async () => {
      const { gravity } = await found({ hits: [hit(more)] }, { domain: 'ads.example' });
      assert.deepEqual([gravity[0]?.domain, gravity[0]?.line, gravity[0]?.id], [text, 5, 2]);
    });

  it('are counted by the type of their list for any N', async () => {
    const counts = [
      { listId: 2, hits: 5 },
      { listId: 3, hits: 7 },
      { listId: 1, hits: 2 },
    ];
    const { results } = await found({ counts, isComplete: false }, { domain: 'ads', N: 1 });
    assert.deepEqual(results.gravity, { allow: 2, block: 12 });
    assert.deepEqual([results.total, results.truncated], [14, true]);
  });

  it('of deleted lists are left out', async () => {
    assert.deepEqual((await found({ hits: [hit({ listId: 9 })] }, { domain: 'ads' })).gravity, []);
  });

  it('come from block lists first', async () => {
    const { asked, ask } = scene();
    await ask({ domain: 'B\u00fccher.example' });
    assert.deepEqual(
      [asked[0]?.listIds, asked[0]?.text, asked[0]?.isExact],
      [[2, 3, 1], 'xn--bcher-kva.example', true],
    );
    assert.deepEqual(
      asked[0]?.regexes.map(({ id }) => id),
      [4, 5],
    );
  });
});

describe('a search', () => {
  const rows: readonly (readonly [string, Request<'searchByQuery'>['query']])[] = [
    ['noSearchTerm', {}],
    ['noSearchTerm', { domain: ' ' }],
    ['tooManyResults', { domain: 'a', N: 10_001 }],
    ['invalidName', { domain: 'a b' }],
  ];
  for (const [failure, query] of rows)
    it(`with ${JSON.stringify(query)} is refused: ${failure}`, async () => {
      const outcome = await scene().ask(query);
      assert.equal('failure' in outcome && outcome.failure, failure);
    });

  it('is refused when too many searches are running', async () => {
    const outcome = await scene('busy').ask({ domain: 'a', N: 10_000 });
    assert.equal('failure' in outcome && outcome.failure, 'tooManyRequests');
  });
});
