import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { checkTotp, newTotpSecret } from './totp.ts';

// RFC 6238 appendix B uses this secret; our codes are the last 6 of its 8 digits.
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
    it(`${code} is accepted at ${seconds} s`, () => {
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
    it(`is accepted ${drift} steps off`, () => {
      assert.deepEqual(checkTotp(rfcSecret, codeAt(step + drift), 0, nowMs), {
        ok: true,
        step: step + drift,
      });
    });
  }
  for (const drift of [-2, 2]) {
    it(`is refused ${drift} steps off`, () => {
      assert.deepEqual(checkTotp(rfcSecret, codeAt(step + drift), 0, nowMs), { ok: false, reason: 'wrong' });
    });
  }

  it('is refused after the same or a later code was accepted', () => {
    assert.deepEqual(checkTotp(rfcSecret, codeAt(step), step, nowMs), { ok: false, reason: 'reused' });
    assert.deepEqual(checkTotp(rfcSecret, codeAt(step - 1), step, nowMs), { ok: false, reason: 'reused' });
    assert.equal(checkTotp(rfcSecret, codeAt(step + 1), step, nowMs).ok, true);
  });

  it('is accepted once when the last accepted step lies in the future, because the clock was ahead', () => {
    for (const ahead of [2, 3, 2_880, 1_000_000]) {
      assert.deepEqual(checkTotp(rfcSecret, codeAt(step), step + ahead, nowMs), { ok: true, step });
      assert.deepEqual(checkTotp(rfcSecret, codeAt(step), step, nowMs), { ok: false, reason: 'reused' });
    }
  });

  it('is refused after the code of the next step, which a phone with a fast clock may have sent', () => {
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
    it(`${JSON.stringify(wrong)} is refused`, () =>
      assert.equal(checkTotp(rfcSecret, wrong, 0, nowMs).ok, false));
  }
});

describe('a new secret', () => {
  it('has 160 bits, a URI and a QR code, and is unique', () => {
    const made = newTotpSecret('my host');
    assert.match(made.secret, /^[A-Z2-7]{32}$/);
    assert.match(made.uri, /^otpauth:\/\/totp\/Sluice:my%20host\?issuer=Sluice&secret=/);
    assert.match(made.qr, /^<svg /);
    assert.notEqual(newTotpSecret('my host').secret, made.secret);
  });
});
