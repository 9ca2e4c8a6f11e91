// The door of authentication: who calls, and whether a login is right.

export { Door } from './authenticator.ts';
export { generatePassword, hashPassword } from './password-hash.ts';
