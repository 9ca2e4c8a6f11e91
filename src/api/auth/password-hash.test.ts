import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { generatePassword, hashPassword, isPasswordHash, verifyPassword } from './password-hash.ts';

describe('password hashes', () => {
  it('match their own password and no other', async () => {
    const hash = await hashPassword('correct horse');
    assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    assert.equal(await verifyPassword('correct horse', hash), true);
    assert.equal(await verifyPassword('Correct horse', hash), false);
    assert.equal(await verifyPassword('', hash), false);
  });

  it('differ for the same password', async () => {
    assert.notEqual(await hashPassword('x'), await hashPassword('x'));
  });

  it('of the reference implementation match', async () => {
    // Test vector of phc-winner-argon2 (test.c): version 0x13, t=2, m=2^16, p=1.
    const hash = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    assert.equal(await verifyPassword('password', hash), true);
    assert.equal(await verifyPassword('passwore', hash), false);
  });

  const refused = [
    '',
    'plain text',
    '$argon2i$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAA',
    '$argon2id$v=19$m=99999999,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAA',
    '$argon2id$v=19$m=1048576,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAA',
    '$argon2id$v=19$m=19456,t=200,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAA',
    '$argon2id$v=19$m=4,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAA',
  ];
  for (const text of refused) {
    it(`${text.slice(0, 40) || 'an empty text'} is not a hash`, async () => {
      assert.equal(isPasswordHash(text), false);
      assert.equal(await verifyPassword('x', text), false);
    });
  }
});

describe('generated passwords', () => {
  it('are long, readable and unique', () => {
    const made = new Set(Array.from({ length: 1_000 }, generatePassword));
    assert.equal(made.size, 1_000);
    for (const password of made) assert.match(password, /^([a-km-np-z2-9]{5}-){3}[a-km-np-z2-9]{5}$/);
  });
});
