import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Explained } from '#engine';
import { Explaining } from './explaining.ts';

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

describe('explanations that are waited for', () => {
  it('reach their caller in any order', async () => {
    const waiting = new Explaining();
    const numbers: number[] = [];
    const post = (reply: number): void => void numbers.push(reply);
    const [first, second] = [waiting.ask('dns1', post), waiting.ask('dns2', post)];
    const [one = 0, two = 0] = numbers;
    waiting.heard(two, undefined);
    waiting.heard(one, explained);
    assert.deepEqual(await first, { kind: 'explained', worker: 'dns1', explained });
    assert.deepEqual(await second, { kind: 'busy' });
  });

  it('time out when the worker does not answer, and a late answer is ignored', async () => {
    const waiting = new Explaining(5);
    let number = 0;
    assert.deepEqual(await waiting.ask('dns1', (reply) => (number = reply)), { kind: 'unavailable' });
    waiting.heard(number, explained);
    waiting.heard(77, explained);
  });
});
