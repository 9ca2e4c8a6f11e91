import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Explained } from '#engine';
import { ExplanationRequests } from './explanation-requests.ts';

const explained: Explained = {
  decidedBy: 'nothing',
  client: { isAnswered: true, configured: '', foundBy: 'nothing', groups: [0], isBlocking: true },
  local: undefined,
  rules: undefined,
  isSpecial: undefined,
  cache: undefined,
  upstream: undefined,
  targets: [],
  answer: undefined,
};

describe('requests for explanations', () => {
  it('get their replies in any order', async () => {
    const requests = new ExplanationRequests();
    const ids: number[] = [];
    const post = (requestId: number): void => void ids.push(requestId);
    const [first, second] = [requests.send('dns1', post), requests.send('dns2', post)];
    const [one = 0, two = 0] = ids;
    requests.onReply(two, undefined);
    requests.onReply(one, explained);
    assert.deepEqual(await first, { kind: 'explained', worker: 'dns1', explained });
    assert.deepEqual(await second, { kind: 'busy' });
  });

  it('time out when the worker does not reply, and a late reply is ignored', async () => {
    const requests = new ExplanationRequests(5);
    let id = 0;
    assert.deepEqual(await requests.send('dns1', (requestId) => (id = requestId)), { kind: 'unavailable' });
    requests.onReply(id, explained);
    requests.onReply(77, explained);
  });
});
