// The current password, always as a hash. If environment or file contain it in clear text, it is hashed once
// and the hash is stored. So a restart with the same password keeps all sessions, and a restart with another
// password ends those that were opened with the old one.

import { hash as digest } from 'node:crypto';
import type { LiveSettings } from '#store/settings';
import { hashPassword, isPasswordHash, verifyPassword } from './password-hash.ts';
import type { Secrets } from '#store/database';

export interface Password {
  /** The password is set to an empty text: nothing requires authentication. */
  readonly isNone: () => boolean;
  readonly matches: (password: string) => Promise<boolean>;
  /** Changes whenever the password does, and does not reveal it. */
  readonly credential: () => string;
}

const pinnedHashName = 'pinned password hash';
/** No password matches this hash, and checking it takes as long as checking any other. */
const noHash = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

export async function openPassword(settings: LiveSettings, secrets: Secrets): Promise<Password> {
  const state = () => settings.resolved.byPath.get('auth.password');
  const pinnedHash = await hashOfPinned(String(state()?.value ?? ''), secrets);
  const hash = (): string => {
    const value = String(state()?.value ?? '');
    if (isPasswordHash(value)) return value;
    return value === '' ? noHash : pinnedHash;
  };
  return {
    isNone: () => state()?.value === '' && state()?.source !== 'default',
    matches: (password) => verifyPassword(password, hash()),
    credential: () => digest('sha256', hash(), 'hex').slice(0, 16),
  };
}

/** Only environment and file can contain clear text: the API stores hashes. */
async function hashOfPinned(value: string, secrets: Secrets): Promise<string> {
  if (value === '' || isPasswordHash(value)) return noHash;
  const kept = secrets.get(pinnedHashName);
  if (kept !== undefined && (await verifyPassword(value, kept))) return kept;
  const made = await hashPassword(value);
  await secrets.set(pinnedHashName, made);
  return made;
}
