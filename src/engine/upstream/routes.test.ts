import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameFromText, Type } from '#wire';
import { Routes } from './routes.ts';
import { startScene, startServer } from '#testing/engine/scene';
import { answer } from '#testing/engine/server';

const wire = (text: string): Uint8Array => nameFromText(text) ?? new Uint8Array(1);

const routes = new Routes<string>();
for (const domain of ['example', 'b.example', 'c.b.example.', 'ORG', 'a\\.b.net']) routes.add(domain, domain);

const cases: Record<string, string | undefined> = {
  example: 'example',
  'x.example': 'example',
  'b.example': 'b.example',
  'x.b.example': 'b.example',
  'xb.example': 'example',
  'y.c.b.example': 'c.b.example.',
  'deep.down.org': 'ORG',
  com: undefined,
  'example.com': undefined,
  'a\\.b.net': 'a\\.b.net',
  'a.b.net': undefined,
  '.': undefined,
};

for (const [name, route] of Object.entries(cases)) {
  test(`the most specific route of ${name}`, () => assert.equal(routes.find(wire(name)), route));
}

test('a route for the root matches every name without a more specific route', () => {
  const all = new Routes<string>();
  assert.equal(all.isEmpty, true);
  all.add('.', 'root');
  all.add('example', 'one');
  assert.deepEqual(
    ['.', 'com', 'x.example'].map((name) => all.find(wire(name))),
    ['root', 'root', 'one'],
  );
});

test('a route with an invalid name is ignored, and the first of two equal routes counts', () => {
  const some = new Routes<number>();
  assert.equal(some.add('a..b', 1), false);
  assert.ok(some.add('a.b', 2) && some.add('A.b', 3));
  assert.equal(some.find(wire('x.a.b')), 2);
});

test('each of thousands of routes is found', () => {
  const many = new Routes<number>();
  for (let at = 0; at < 20_000; at += 1) many.add(`d${at}.example`, at);
  for (let at = 0; at < 20_000; at += 97) assert.equal(many.find(wire(`www.d${at}.example`)), at);
  assert.equal(many.find(wire('www.d20000.example')), undefined);
});

test('domains and networks go to their own servers', async (t) => {
  const [main, office, lan] = await Promise.all(
    [1, 2, 3].map((last) => startServer(t, (query) => [answer(query, `192.0.2.${last}`)])),
  );
  assert.ok(main && office && lan);
  const scene = startScene(t, {
    upstreams: [main.text],
    domains: [
      { domains: ['office.example', 'corp.example'], upstreams: [office.text] },
      { domains: ['public.office.example'], upstreams: [] },
    ],
    reverse: [
      { network: '192.168.178.0/23', upstream: lan.text, domain: 'lan' },
      { network: 'fd00::/12', upstream: lan.text },
    ],
  });
  const table: Record<string, string> = {
    'www.example': main.text,
    'a.office.example': office.text,
    'corp.example': office.text,
    'www.public.office.example': main.text,
    'nas.lan': lan.text,
    '1.178.168.192.in-addr.arpa': lan.text,
    '1.179.168.192.in-addr.arpa': lan.text,
    '1.180.168.192.in-addr.arpa': main.text,
    '1.0.0.d.f.ip6.arpa': lan.text,
    '1.1.0.1.d.f.ip6.arpa': main.text,
  };
  for (const [name, upstream] of Object.entries(table)) {
    const asked = await scene.query(name, name.endsWith('arpa') ? Type.PTR : Type.A);
    assert.equal(asked.upstream, upstream, name);
    assert.equal(scene.forwarder.isRouted(wire(name)), upstream !== main.text, name);
  }
});

test('invalid entries are reported and left out', async (t) => {
  const server = await startServer(t, (query) => [answer(query)]);
  const scene = startScene(t, {
    upstreams: ['not an upstream', server.text],
    domains: [{ domains: ['a..b'], upstreams: [server.text] }],
    reverse: [{ network: 'nonsense', upstream: server.text }],
  });
  assert.equal((await scene.query('www.example')).upstream, server.text);
  for (const word of ['not an upstream', 'a..b', 'nonsense']) {
    assert.ok(
      scene.notices.some((notice) => notice.includes(`"${word}"`)),
      word,
    );
  }
});
