// Rules as clients see them: every list format, every kind of answer that a rule or a setting can select, the
// precedence table row by row, targets of answers, and rules that expire. All tests share one service; its
// clock stands still unless a test moves it.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import type { Service } from '../running/boot.ts';
import { temporaryFolder } from '../running/folder.ts';
import { holdClock } from '../running/held-clock.ts';
import { at, describe, listAt } from '../running/reply.ts';
import { until } from '../running/waiting.ts';
import { runQuery, runQueries, type Seen } from './support/clients.ts';
import {
  addressRecord,
  aliasRecord,
  httpsRecord,
  startScriptedUpstream,
  type Script,
} from './support/scripted-upstream.ts';
import { bootDns, mustSetDns, portOf } from './support/service.ts';

const tracker = [...Buffer.from('\u0007tracker\u0007example\u0000', 'latin1')];
const script: Script = {
  'cname.example': [aliasRecord('cname.example', 'cdn.tracker.example')],
  'freed.example': [aliasRecord('freed.example', 'good.tracker.example')],
  'address.example': [addressRecord('address.example', '198.51.100.66')],
  'target.example': [addressRecord('target.example', '198.51.100.1')],
  // 1 tracker.example.
  'https.example': [httpsRecord('https.example', [0, 1, ...tracker])],
  // 1 . ipv4hint=198.51.100.66
  'hint.example': [httpsRecord('hint.example', [0, 1, 0, 0, 4, 0, 4, 198, 51, 100, 66])],
};

const lines = `! One line of every kind
0.0.0.0 hosts.example second.example
plain.example
bücher.example
*.wildcard.example
||adblock.example^
@@||good.adblock.example^
|bars.example^|
||first.example^$important
@@||first.example^
||typed.example^$dnstype=AAAA
||denyallow.example^$denyallow=free.denyallow.example
||client.example^$client=127.0.0.0/8
||stranger.example^$client=192.0.2.9
||tagged.example^$ctag=device_tv
||while.example^$ctag=for_a_while
||fixed.example^$dnsrewrite=192.0.2.55
||alias.example^$dnsrewrite=target.example
||nx.example^$dnsrewrite=NXDOMAIN
||refused.example^$dnsrewrite=REFUSED
||taken-back.example^
||taken-back.example^$badfilter
/^re[0-9]+\\.example$/
address=/dnsmasq.example/
address=/dnsmasq-fixed.example/192.0.2.56
server=/dnsmasq-server.example/
local-zone: "unbound.example" always_nxdomain
local-zone: "unbound-refuse.example" refuse
rpz.example CNAME .
rpz-nodata.example CNAME *.
*.rpz-wild.example CNAME .
rpz-fixed.example A 192.0.2.57
||tracker.example^
@@||good.tracker.example^
||198.51.100.66^
site.example##.ad
||site.example/path
bad..example
||plain.example^$nonsense
plain.example
`;

const free = '192.0.2.1';
const blocked = '0.0.0.0';
const nothing = 'NOERROR SOA';
const gone = 'NXDOMAIN SOA';

/** Each question and its outcome: the last data of the answer, or the code and the SOA beside it. */
const formats: readonly (readonly [question: string, outcome: string])[] = [
  ['hosts.example A', blocked],
  ['second.example A', blocked],
  ['sub.hosts.example A', free],
  ['plain.example A', blocked],
  ['PLAIN.example AAAA', '::'],
  ['plain.example HTTPS', nothing],
  ['sub.plain.example A', free],
  ['xn--bcher-kva.example A', blocked],
  ['wildcard.example A', blocked],
  ['a.b.wildcard.example A', blocked],
  ['not-wildcard.example A', free],
  ['adblock.example A', blocked],
  ['sub.adblock.example A', blocked],
  ['good.adblock.example A', free],
  ['bars.example A', blocked],
  ['sub.bars.example A', free],
  ['first.example A', blocked],
  ['typed.example A', free],
  ['typed.example AAAA', '::'],
  ['denyallow.example A', blocked],
  ['a.free.denyallow.example A', free],
  ['client.example A', blocked],
  ['stranger.example A', free],
  ['tagged.example A', free],
  ['while.example A', free],
  ['fixed.example A', '192.0.2.55'],
  ['fixed.example AAAA', nothing],
  ['alias.example A', '198.51.100.1'],
  ['nx.example A', gone],
  ['refused.example A', 'REFUSED'],
  ['taken-back.example A', free],
  ['re7.example A', blocked],
  ['re.example A', free],
  ['sub.dnsmasq.example A', gone],
  ['dnsmasq-fixed.example A', '192.0.2.56'],
  ['dnsmasq-server.example A', gone],
  ['unbound.example A', gone],
  ['unbound-refuse.example A', 'REFUSED'],
  ['rpz.example A', gone],
  ['sub.rpz.example A', free],
  ['rpz-nodata.example A', nothing],
  ['rpz-wild.example A', free],
  ['sub.rpz-wild.example A', gone],
  ['rpz-fixed.example A', '192.0.2.57'],
  ['site.example A', free],
  ['cname.example A', blocked],
  ['freed.example A', 'good.tracker.example.'],
  ['address.example A', blocked],
  ['https.example HTTPS', nothing],
  ['hint.example HTTPS', nothing],
];

const outcomeOf = ({ status, answer, authority }: Seen): string => {
  const last = answer.at(-1)?.split(' ').at(-1);
  if (last !== undefined) return last;
  return [status, ...authority.map((record) => record.split(' ')[3])].join(' ');
};

const textOf = ({ text }: Seen): string => /EDE: 15 \(Blocked\): \((.*)\)/u.exec(text)?.[1] ?? '';

interface Scene {
  readonly service: Service;
  /** The same questions from 127.0.0.2. */
  readonly outcomesOfOther: (questions: readonly string[]) => Promise<readonly string[]>;
  readonly see: (question: string) => Promise<Seen>;
  readonly seeAll: (questions: readonly string[]) => Promise<readonly Seen[]>;
  readonly outcomes: (questions: readonly string[]) => Promise<readonly string[]>;
}

/** Returns the address of the list once it is in force. */
const subscribe = async ({ service, see }: Scene, comment: string, text: string): Promise<string> => {
  const file = join(temporaryFolder(), 'list.txt');
  const canary = `${comment.toLowerCase().replaceAll(' ', '-')}.canary.example`;
  writeFileSync(file, `${text}\n${canary}\n`);
  const made = await service.call('POST', '/api/lists?type=block', {
    body: { address: `file://${file}`, comment },
  });
  assert.equal(made.status, 201, describe(made));
  await until(`The list ${comment} is in force`, async () =>
    outcomeOf(await see(`${canary} A`)) === blocked ? true : undefined,
  );
  return `file://${file}`;
};

const addRule = async (service: Service, place: string, body: object): Promise<void> => {
  const made = await service.call('POST', `/api/domains/${place}`, { body });
  assert.equal(made.status, 201, describe(made));
};

/** It starts at a whole second, because rules expire at one. */
const clock = holdClock(Math.ceil(Date.now() / 1000) * 1000);

test('rules', async (t) => {
  const port = await startScriptedUpstream(t, script);
  const service = await bootDns(t, {
    env: { ...clock.env, SLUICE_DNS_UPSTREAMS: `127.0.0.1#${port}`, SLUICE_DNS_WORKERS: '1' },
  });
  const server = { address: '127.0.0.1', port: await portOf(service) };
  const see = (question: string) => runQuery('dig', server, question);
  const seeAll = (questions: readonly string[]) => runQueries('dig', server, questions);
  const outcomes = async (questions: readonly string[]) => (await seeAll(questions)).map(outcomeOf);
  const other = { ...server, options: ['-b', '127.0.0.2'] };
  const outcomesOfOther = async (questions: readonly string[]) =>
    (await runQueries('dig', other, questions)).map(outcomeOf);
  const scene: Scene = { service, see, seeAll, outcomes, outcomesOfOther };
  const address = await subscribe(scene, 'List one', lines);

  await t.test('of every list format and with every option are in force', async () => {
    const seen = await outcomes(formats.map(([question]) => question));
    const found = formats.map(([question], index) => [question, seen[index]]);
    assert.deepEqual(found, formats);
  });
  await t.test('of a list in a file are counted, and its lines that are not rules are not shown', () =>
    reports(scene, address),
  );
  await t.test('that block name their list in the answer, which has the TTL of dns.blockTTL', () =>
    namesTheList(scene),
  );
  await t.test('that block are answered as dns.blocking.mode says', () => answersAsConfigured(scene));
  await t.test('of the user can have their own answers', () => ownRules(scene));
  await t.test('of different kinds are ranked as the precedence table says', () => ranksAsTable(scene));
  await t.test('of one kind are ranked: exact, then the longest suffix, then the lowest id', () =>
    withinRow(scene),
  );
  await t.test('for one client apply to this client only, and until they end', () => forOneClient(scene));
  await t.test('end in the second when they, their membership in a group or that of a client expires', () =>
    expires(scene),
  );
});

const reports = async ({ service }: Scene, address: string): Promise<void> => {
  const reply = await service.call('GET', `/api/lists/${encodeURIComponent(address)}/copies?type=block`);
  const copy = at(reply.body, 'copies', 0);
  const counts = ['lines', 'number', 'duplicates', 'skipped', 'invalid_domains'].map((key) => at(copy, key));
  assert.deepEqual(counts, [42, 37, 1, 2, 2], describe(reply));
  assert.deepEqual(at(copy, 'samples'), []);
};

const namesTheList = async ({ service, see, seeAll }: Scene): Promise<void> => {
  await mustSetDns(service, { blockTTL: 77 });
  const asked = ['plain.example A', 'cname.example A', 'address.example A', 'https.example HTTPS'];
  const all = [...asked, 'hint.example HTTPS', 'nx.example A', 'refused.example A'];
  for (const seen of await seeAll(all)) assert.match(textOf(seen), /^List one( \(CNAME\))?$/u, seen.text);
  assert.deepEqual((await see('plain.example A')).answer, [`plain.example. 77 IN A ${blocked}`]);
  const { authority } = await see('nx.example A');
  assert.match(authority[0] ?? '', /^nx\.example\. 77 IN SOA .* 77$/u);
};

const answersAsConfigured = async ({ service, outcomes }: Scene): Promise<void> => {
  const [ours = nothing] = await outcomes(['sluice.internal AAAA']);
  const modes: readonly (readonly [blocking: object, a: string, aaaa: string, txt: string])[] = [
    [{ mode: 'NX' }, gone, gone, gone],
    [{ mode: 'NODATA' }, nothing, nothing, nothing],
    [{ mode: 'REFUSED' }, 'REFUSED', 'REFUSED', 'REFUSED'],
    // For the other address family, answers have the machine's own addresses, if it has any.
    [{ mode: 'IP' }, '127.0.0.1', ours, nothing],
    [{ mode: 'IP_NODATA_AAAA' }, '127.0.0.1', nothing, nothing],
    [{ mode: 'NULL' }, blocked, '::', nothing],
  ];
  const questions = ['A', 'AAAA', 'TXT'].map((type) => `plain.example ${type}`);
  for (const [blocking, ...expected] of modes) {
    await mustSetDns(service, { blocking });
    assert.deepEqual(await outcomes(questions), expected, JSON.stringify(blocking));
  }
  const fixed = { force4: true, IPv4: '192.0.2.80', force6: true, IPv6: '2001:db8::80' };
  await mustSetDns(service, { blocking: { mode: 'IP' }, reply: { blocking: fixed } });
  assert.deepEqual(await outcomes(questions), ['192.0.2.80', '2001:db8::80', nothing]);
  await mustSetDns(service, { blocking: { mode: 'NULL' } });
};

const ownRules = async ({ service, see, outcomes }: Scene): Promise<void> => {
  await addRule(service, 'deny/exact', {
    domain: [
      '*.own.example',
      '||copied.example^',
      'own-nx.example;reply=NXDOMAIN',
      'own-a.example;querytype=A',
    ],
  });
  await addRule(service, 'deny/regex', {
    domain: [
      '^own-re[0-9];reply=192.0.2.90;reply=2001:db8::90',
      '^own-type;querytype=HTTPS',
      '^own-alias[.];reply=CNAME,target.example',
      '^[^.]+[.]turned[.]example$|^(.*[.])?([^t]|t[^u])[^.]*[.][^.]+$|^[^.]+$|arpa$;invert;querytype=TXT',
    ],
  });
  const asked: readonly (readonly [string, string])[] = [
    ['own.example A', blocked],
    ['a.b.own.example A', blocked],
    ['sub.copied.example A', blocked],
    ['own-nx.example A', gone],
    ['own-a.example A', blocked],
    ['own-a.example AAAA', nothing.replace(' SOA', '')],
    ['own-re7.example A', '192.0.2.90'],
    ['own-re7.example AAAA', '2001:db8::90'],
    ['own-type.example A', free],
    ['own-type.example HTTPS', nothing],
    ['own-alias.example A', '198.51.100.1'],
    ['x.turned.example TXT', 'NOERROR'],
    ['x.y.turned.example TXT', nothing],
  ];
  const seen = await outcomes(asked.map(([question]) => question));
  assert.deepEqual(
    asked.map(([question], index) => [question, seen[index]]),
    asked,
  );
  assert.equal(textOf(await see('own.example A')), 'denylist');
  assert.equal(textOf(await see('own-re7.example A')), 'regex');
};

/** For each row of the table, the rule about a name; all list rules are in one file. */
const ownRows = [
  ['allow/exact', 'NAME;important'],
  ['deny/regex', '^(.+[.])?ROW[.]example$;important'],
  ['allow/regex', '^(.+[.])?ROW[.]example$'],
  ['deny/exact', '*.ROW.example'],
] as const;
const listRows = ['@@||ROW.example^$important', '||NAME^$important', '@@|NAME^', '||ROW.example^'];

const written = (text: string, row: number): string =>
  text.replace('NAME', `a.row${row}.example`).replace('ROW', `row${row}`);

const ranksAsTable = async (scene: Scene): Promise<void> => {
  const { service, seeAll } = scene;
  const rows = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  // The rules of a row and of all rows below it are about the name of that row.
  const ofLists = rows.flatMap((row) =>
    listRows.filter((_, index) => index + 5 >= row).map((text) => written(text, row)),
  );
  await subscribe(scene, 'Table', ofLists.join('\n'));
  for (const [index, [place, text]] of ownRows.entries())
    await addRule(service, place, {
      domain: rows.filter((row) => row <= index + 1).map((row) => written(text, row)),
    });
  const expected = ['free', 'regex', 'free', 'denylist', 'free', 'Table', 'free', 'Table', 'free'];
  const found: string[] = [];
  for (const seen of await seeAll(rows.map((row) => `a.row${row}.example A`)))
    found.push(outcomeOf(seen) === free ? 'free' : textOf(seen));
  assert.deepEqual(found, expected);
  await service.call('POST', '/api/dns/blocking', { body: { blocking: false } });
  const off = await scene.outcomes(rows.map((row) => `a.row${row}.example A`));
  assert.deepEqual(
    off,
    rows.map(() => free),
  );
  await service.call('POST', '/api/dns/blocking', { body: { blocking: true } });
};

const withinRow = async (scene: Scene): Promise<void> => {
  await subscribe(scene, 'Older', '||within.example^\n||b.within.example^\n||same.within.example^');
  await subscribe(scene, 'Newer', 'a.within.example\n||x.b.within.example^\n||same.within.example^');
  const expected: readonly (readonly [string, string])[] = [
    ['a.within.example', 'Newer'],
    ['sub.a.within.example', 'Older'],
    ['y.x.b.within.example', 'Newer'],
    ['y.b.within.example', 'Older'],
    ['same.within.example', 'Older'],
  ];
  const seen = await scene.seeAll(expected.map(([name]) => `${name} A`));
  assert.deepEqual(
    expected.map(([name], index) => [name, textOf(seen[index] ?? assert.fail(name))]),
    expected,
  );
};

/** 127.0.0.2 is in a group of its own, so the lists do not apply to it. */
const forOneClient = async ({ service, outcomes, outcomesOfOther }: Scene): Promise<void> => {
  const group = await service.call('POST', '/api/groups', { body: { name: 'tablets' } });
  const body = { groups: [Number(at(group.body, 'groups', 0, 'id'))], comment: 'The Tablet' };
  const client = await service.call('PUT', '/api/clients/127.0.0.2', { body });
  const id = Number(at(client.body, 'clients', 0, 'id'));
  const ends = clock.nowMs() / 1000 + 2;
  const rules: readonly (readonly [rule: string, name: string, here: string, there: string])[] = [
    ['deny/exact by-address.example;client=127.0.0.2', 'by-address.example', free, blocked],
    ['deny/exact by-range.example;client=127.0.0.0/8,~127.0.0.1', 'by-range.example', free, blocked],
    ['deny/exact by-comment.example;client=the_tablet', 'by-comment.example', free, blocked],
    [`deny/exact by-id.example;client=${id};reply=NXDOMAIN`, 'by-id.example', free, gone],
    ['deny/regex ^by-regex[.];client=127.0.0.2', 'by-regex.example', free, blocked],
    ['deny/exact others.example;client=!127.0.0.2', 'others.example', blocked, free],
    ['allow/exact plain.example;client=127.0.0.1', 'plain.example', free, free],
  ];
  for (const [rule] of rules) {
    const [place = '', text = ''] = rule.split(' ');
    await addRule(service, place, { domain: text.replace('_', ' '), expires_at: ends });
  }
  const asked = rules.map(([, name]) => `${name} A`);
  assert.deepEqual(
    [await outcomes(asked), await outcomesOfOther(asked)],
    [rules.map(([, , here]) => here), rules.map(([, , , there]) => there)],
  );
  await explainsForOneClient(service);
  clock.advance(2_000);
  await until('The rules have ended', async () =>
    (await outcomesOfOther(asked)).every((outcome) => outcome === free) ? true : undefined,
  );
  assert.deepEqual(
    await outcomes(asked),
    rules.map(([, name]) => (name === 'plain.example' ? blocked : free)),
  );
};

const explainsForOneClient = async (service: Service): Promise<void> => {
  const explained = async (client: string) => {
    const query = `domain=by-address.example&client=${client}&resolve=false`;
    const { body } = await service.call('GET', `/api/explain?${query}`);
    const rule = at(
      listAt(body, 'steps').find((step) => at(step, 'step') === 'rules'),
      'rules',
      0,
    );
    return [at(body, 'verdict'), at(rule, 'outcome'), at(rule, 'own', 'domain'), at(body, 'reason')];
  };
  const domain = 'by-address.example;client=127.0.0.2';
  assert.deepEqual(await explained('127.0.0.2'), [
    'block',
    'holds',
    domain,
    `by-address.example is blocked by your deny rule "${domain}" (row 4: own rules that block).`,
  ]);
  const [verdict, outcome, text] = await explained('127.0.0.1');
  assert.deepEqual([verdict, outcome, text], ['pass', 'otherClient', domain]);
};

const expires = async ({ service, outcomes }: Scene): Promise<void> => {
  const group = await service.call('POST', '/api/groups', { body: { name: 'for a while' } });
  const id = Number(at(group.body, 'groups', 0, 'id'));
  const ends = clock.nowMs() / 1000 + 2;
  const rules: readonly (readonly [name: string, fields: object])[] = [
    ['rule-ends.example', { expires_at: ends }],
    ['membership-ends.example', { groups: [0], group_expiry: { 0: ends } }],
    ['client-ends.example', { groups: [id] }],
  ];
  // A list has a rule for clients of the group, by its name.
  const names = [...rules.map(([name]) => name), 'while.example'];
  for (const [domain, fields] of rules) await addRule(service, 'deny/exact', { domain, ...fields });
  const body = { groups: [0, id], group_expiry: { [id]: ends } };
  const client = await service.call('PUT', '/api/clients/127.0.0.1', { body });
  assert.equal(client.status, 200, describe(client));
  clock.advance(1_999);
  const questions = names.map((name) => `${name} A`);
  assert.deepEqual(
    await outcomes(questions),
    names.map(() => blocked),
  );
  clock.advance(1);
  await until('All of them have ended', async () =>
    (await outcomes(questions)).every((outcome) => outcome === free) ? true : undefined,
  );
};
