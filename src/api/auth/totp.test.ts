import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { checkTotp, newTotpSecret } from './totp.ts';

// RFC 6238 appendix B uses this secret; its codes have 8 digits, of which ours are the last 6.
const rfcSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('codes of RFC 6238', () => {
  const vectors = [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
  ] as const;
  for (const [seconds, code] of vectors) {
    it(`${seconds}: ${code}`, () => {
      assert.deepEqual(checkTotp(rfcSecret, code, 0, seconds * 1000), {
        ok: true,
        step: Math.floor(seconds / 30),
      });
      assert.equal(checkTotp(rfcSecret, Number(code), 0, seconds * 1000).ok, true, 'as a number');
    });
  }
});

describe('a code', () => {
  const nowMs = 1_234_567_890_000;
  const step = Math.floor(nowMs / 30_000);
  const codeAt = (at: number): string => {
    const counter = Buffer.alloc(8);
    counter.writeBigUInt64BE(BigInt(at));
    const digest = createHmac('sha1', '12345678901234567890').update(counter).digest();
    const offset = (digest.at(-1) ?? 0) & 15;
    return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
  };

  for (const drift of [-1, 0, 1]) {
    it(`may be ${drift} steps off`, () => {
      assert.deepEqual(checkTotp(rfcSecret, codeAt(step + drift), 0, nowMs), {
        ok: true,
        step: step + drift,
      });
    });
  }
  for (const drift of [-2, 2]) {
    it(`may not be ${drift} steps off`, () => {
      assert.deepEqual(checkTotp(rfcSecret, codeAt(step + drift), 0, nowMs), { ok: false, reason: 'wrong' });
    });
  }

  it('is not accepted twice, nor an earlier one after a later one', () => {
    assert.deepEqual(checkTotp(rfcSecret, codeAt(step), step, nowMs), { ok: false, reason: 'reused' });
    assert.deepEqual(checkTotp(rfcSecret, codeAt(step - 1), step, nowMs), { ok: false, reason: 'reused' });
    assert.equal(checkTotp(rfcSecret, codeAt(step + 1), step, nowMs).ok, true);
  });

  it('is accepted when the last one is from a clock that ran ahead, and then not again', () => {
    for (const ahead of [2, 3, 2_880, 1_000_000]) {
      assert.deepEqual(checkTotp(rfcSecret, codeAt(step), step + ahead, nowMs), { ok: true, step });
      assert.deepEqual(checkTotp(rfcSecret, codeAt(step), step, nowMs), { ok: false, reason: 'reused' });
    }
  });

  it('is not accepted after the code of the next step, which a phone may be ahead by', () => {
    assert.deepEqual(checkTotp(rfcSecret, codeAt(step), step + 1, nowMs), { ok: false, reason: 'reused' });
  });

  for (const wrong of [
    '',
    'abcdef',
    '1234567',
    '12345',
    -1,
    1.5,
    '000000 ; drop',
    'äöüäöü',
    '１２３４５６',
  ]) {
    it(`${JSON.stringify(wrong)} is none`, () =>
      assert.equal(checkTotp(rfcSecret, wrong, 0, nowMs).ok, false));
  }
});

describe('a new secret', () => {
  it('has 160 bits, a URI and a picture, and is never the same', () => {
    const made = newTotpSecret('my host');
    assert.match(made.secret, /^[A-Z2-7]{32}$/);
    assert.match(made.uri, /^otpauth:\/\/totp\/Sluice:my%20host\?issuer=Sluice&secret=/);
    assert.match(made.qr, /^<svg /);
    assert.notEqual(newTotpSecret('my host').secret, made.secret);
  });
});
