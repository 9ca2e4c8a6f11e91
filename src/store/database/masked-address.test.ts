// Which part of an address is masked, in every form that URLs may have; and what is no password stays.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isMasked, isSameAddress, maskedAddress } from './masked-address.ts';

describe('an address as it is shown', () => {
  const rows: readonly (readonly [address: string, shown: string])[] = [
    ['https://lists.example/a.txt', 'https://lists.example/a.txt'],
    ['https://me:secret@lists.example:8443/a?b=c#d', 'https://********@lists.example:8443/a?b=c#d'],
    ['https://token@lists.example/a.txt', 'https://********@lists.example/a.txt'],
    ['https://:secret@lists.example/', 'https://********@lists.example/'],
    ['https://me:sec@ret@lists.example/', 'https://********@lists.example/'],
    ['HTTPS://me:secret@lists.example', 'HTTPS://********@lists.example'],
    ['https:me:secret@lists.example/a@b', 'https:********@lists.example/a@b'],
    ['https:\\\\me:secret@lists.example\\a@b', 'https:\\\\********@lists.example\\a@b'],
    ['https:////me:secret@lists.example/', 'https:////********@lists.example/'],
    ['https://lists.example/a@b/c', 'https://lists.example/a@b/c'],
    ['https://lists.example?a@b', 'https://lists.example?a@b'],
    ['file:///a@b', 'file:///a@b'],
    ['sluice:built-in', 'sluice:built-in'],
    // No URLs; earlier versions have stored such texts.
    ['https://me:secret@lists.example:port/a', 'https://********@lists.example:port/a'],
    ['https://me:sec/ret@lists.example:port/a', 'https://********@lists.example:port/a'],
    ['//me:secret@lists.example/a', '//********@lists.example/a'],
    ['me secret@lists.example/a', '********@lists.example/a'],
    ['a.txt', 'a.txt'],
  ];
  for (const [address, shown] of rows) {
    it(`${address} is ${shown}`, () => {
      assert.equal(maskedAddress(address), shown);
      assert.equal(maskedAddress(shown), shown, 'masked again it is the same');
      assert.ok(isSameAddress(address, shown));
    });
  }

  it('is another one than an address without a password', () => {
    assert.ok(!isSameAddress('https://me:secret@lists.example/', 'https://lists.example/'));
  });

  it('is known as masked, and a real one is not', () => {
    assert.ok(isMasked('https://********@lists.example/'));
    assert.ok(!isMasked('https://me:********@lists.example/'));
    assert.ok(!isMasked('https://lists.example/********@x'));
  });
});
