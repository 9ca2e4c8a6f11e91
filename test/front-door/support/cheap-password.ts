// A hash of the test password that takes almost no time to verify. The service accepts any argon2id hash in
// the PHC string format. Tests that do not measure this cost can so log in hundreds of times, and tests of
// limits per second can make more attempts in a second than a real hash would permit.

import { argon2Sync } from 'node:crypto';

import { password } from './session.ts';

const nonce = Buffer.from('a salt of 16 byt');
const tag = argon2Sync('argon2id', {
  message: password,
  nonce,
  memory: 8,
  passes: 1,
  parallelism: 1,
  tagLength: 32,
});
const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');

const cheapHash = `$argon2id$v=19$m=8,t=1,p=1$${base64(nonce)}$${base64(tag)}`;

export const cheap = { SLUICE_AUTH_PASSWORD: cheapHash };
