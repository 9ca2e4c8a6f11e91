// The door of authentication: identifies callers, and hashes passwords.

export { Authenticator } from './authenticator.ts';
export { generatePassword, hashPassword } from './password-hash.ts';
