// The password as it is set now, always as a hash. One that the environment or the file gives in clear is
// hashed once and the hash is kept, so that a restart with the same password ends no session, and one with
// another password ends all that were made with the old one.

import { hash as digest } from 'node:crypto';
import type { LiveSettings } from '#store/settings';
import { hashPassword, isPasswordHash, verifyPassword } from './password-hash.ts';
import type { Secrets } from '#store/database';

export interface Password {
  /** Nothing requires authentication. */
  readonly isNone: () => boolean;
  readonly fits: (password: string) => Promise<boolean>;
  /** Changes whenever the password does; says nothing about it. */
  readonly credential: () => string;
}

const pinnedHashName = 'pinned password hash';
/** No password fits this, and checking against it takes as long as against any other. */
const noHash = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

export const openPassword = async (settings: LiveSettings, secrets: Secrets): Promise<Password> => {
  const state = () => settings.resolved.byPath.get('auth.password');
  const pinnedHash = await hashOfPinned(String(state()?.value ?? ''), secrets);
  const hash = (): string => {
    const value = String(state()?.value ?? '');
    if (isPasswordHash(value)) return value;
    return value === '' ? noHash : pinnedHash;
  };
  return {
    isNone: () => state()?.value === '' && state()?.source !== 'default',
    fits: (password) => verifyPassword(password, hash()),
    credential: () => digest('sha256', hash(), 'hex').slice(0, 16),
  };
};

/** A clear text can only be pinned: the API stores hashes. */
const hashOfPinned = async (value: string, secrets: Secrets): Promise<string> => {
  if (value === '' || isPasswordHash(value)) return noHash;
  const kept = secrets.get(pinnedHashName);
  if (kept !== undefined && (await verifyPassword(value, kept))) return kept;
  const made = await hashPassword(value);
  await secrets.set(pinnedHashName, made);
  return made;
};
