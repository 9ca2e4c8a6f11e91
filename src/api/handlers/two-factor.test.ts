import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TwoFactor } from '../auth/two-factor.ts';
import type { RequestContext } from '../http/handler.ts';
import { createTwoFactorHandlers } from './two-factor.ts';

const isOn: TwoFactor = {
  isOn: () => true,
  start: () => assert.fail('a new secret was created'),
  confirm: () => assert.fail('a new secret was confirmed'),
  check: async () => ({ ok: false, reason: 'wrong' }),
  remove: () => assert.fail('it was switched off'),
};

const context: RequestContext = {
  caller: { kind: 'local' },
  ifMatch: undefined,
  from: () => ({
    address: '192.0.2.1',
    userAgent: null,
    isTls: true,
    peer: '127.0.0.1',
    httpVersion: '1.1',
    method: 'POST',
    headers: [],
    hasSid: false,
  }),
};

function handlersWith(mayTry: boolean, failures: string[] = []) {
  return createTwoFactorHandlers({
    twoFactor: isOn,
    endOthers: async () => true,
    mayTry: () => mayTry,
    failed: (address) => void failures.push(address),
  });
}

it('an active second factor cannot be replaced', async () => {
  const handlers = handlersWith(true);
  const input = { params: {}, query: {}, body: { totp: '123456' }, ...context };
  for (const outcome of [
    await handlers.startTotp({ ...input, body: undefined }),
    await handlers.confirmTotp(input),
  ]) {
    assert.ok('failure' in outcome && outcome.failure === 'totpIsOn');
  }
});

it('a wrong token counts as a failed login, and too many are refused', async () => {
  const failures: string[] = [];
  const input = { params: {}, query: {}, body: { totp: '123456' }, ...context };
  const wrong = await handlersWith(true, failures).removeTotp(input);
  assert.ok('failure' in wrong && wrong.failure === 'invalidTotp');
  assert.deepEqual(failures, ['192.0.2.1']);
  const held = await handlersWith(false).removeTotp(input);
  assert.ok('failure' in held && held.failure === 'loginRate');
});
