// What `sluice simulate` sends and prints, with replies that the tests provide.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { endpoints } from '#contract';
import { createClient, type ClientReply } from '#contract/client';
import { exitCodes } from './exit-codes.ts';
import { showSimulation } from './simulate.ts';
import { recorder } from '#testing/cli/terminal';

function scene(...replies: readonly ClientReply[]) {
  const sent: unknown[] = [];
  const { out, err, terminal } = recorder();
  const left = [...replies];
  const call = createClient(({ path, body }) => {
    sent.push(path === '/api/simulate' ? body : path);
    return Promise.resolve(left.shift() ?? { status: 503, body: { error: { message: 'Gone', hint: null } } });
  });
  return { sent, out, err, talk: { call, terminal } };
}

const reply = { status: 200, body: endpoints.simulate.replies[200].example };

it('sluice simulate sends the lists and rules of its options', async () => {
  const { talk, sent, out } = scene(reply);
  const options = { deny: ['*.ads.example'], allowRegex: ['^a'], list: ['7', 'https://l.example'], count: 3 };
  assert.equal(await showSimulation(talk, { ...options, withoutList: ['2'] }), exitCodes.ok);
  const [body] = sent;
  assert.deepEqual(typeof body === 'string' ? JSON.parse(body) : body, {
    rules: {
      add: [
        { domain: '*.ads.example', type: 'deny', kind: 'exact' },
        { domain: '^a', type: 'allow', kind: 'regex' },
      ],
      remove: [],
    },
    lists: { add: [{ id: 7 }, { address: 'https://l.example' }], remove: [{ id: 2 }] },
    count: 3,
  });
  const text = out.join('\n');
  assert.match(text, /^Of 1000 queries, the current rules block 200; the changed rules would block 212\./);
  assert.match(text, /\n12 +a\.ads\.example +\*\.ads\.example\n/);
  assert.match(text, /\n12 +tablet\.lan \(192\.168\.1\.5\)/);
  assert.match(text, /No query would be unblocked/);
});

it('sluice simulate reports an unknown rule, and why a request failed', async () => {
  const absent = { status: 404, body: { error: { message: 'Not found', hint: null } } };
  const unknown = scene(absent, absent, absent, absent);
  assert.equal(await showSimulation(unknown.talk, { withoutRule: ['no.example'] }), exitCodes.failed);
  assert.match(unknown.err.join(), /no\.example/);
  const gone = scene();
  assert.equal(await showSimulation(gone.talk, {}), exitCodes.failed);
  assert.deepEqual(gone.err, ['The simulation failed: Gone']);
});
