// Which part of an address is masked, for every form of URL, and which @ does not belong to a password.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isMasked, isSameAddress, maskedAddress } from './masked-address.ts';

describe('a masked address', () => {
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
    // Not URLs, but earlier releases have stored such texts.
    ['https://me:secret@lists.example:port/a', 'https://********@lists.example:port/a'],
    ['https://me:sec/ret@lists.example:port/a', 'https://********@lists.example:port/a'],
    ['//me:secret@lists.example/a', '//********@lists.example/a'],
    ['me secret@lists.example/a', '********@lists.example/a'],
    ['a.txt', 'a.txt'],
  ];
  for (const [address, shown] of rows) {
    it(`of ${address} is ${shown}`, () => {
      assert.equal(maskedAddress(address), shown);
      assert.equal(maskedAddress(shown), shown, 'masking it again has no effect');
      assert.ok(isSameAddress(address, shown));
    });
  }

  it('is not the same as the address without a password', () => {
    assert.ok(!isSameAddress('https://me:secret@lists.example/', 'https://lists.example/'));
  });

  it('is recognised as masked, and other addresses are not', () => {
    assert.ok(isMasked('https://********@lists.example/'));
    assert.ok(!isMasked('https://me:********@lists.example/'));
    assert.ok(!isMasked('https://lists.example/********@x'));
  });
});
