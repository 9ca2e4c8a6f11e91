// Sees to it that there is a password. Without one in the environment, the file or the database, one is
// generated, stored as a hash and given back to be shown once: a service on a network must not be open
// because nobody has thought of closing it. An explicitly empty one is somebody's decision, and is said at
// every start.

import { generatePassword, hashPassword } from '../auth/password-hash.ts';
import type { Log } from '../log/log.ts';
import type { LiveSettings } from '../settings/live-settings.ts';

/** The password that was made just now; nothing when there was one. */
export const ensurePassword = async (settings: LiveSettings, log: Log): Promise<string | undefined> => {
  const now = settings.resolved.byPath.get('auth.password');
  if (now !== undefined && now.source !== 'default') {
    if (now.value === '')
      log.warn('auth.password is empty: everybody who reaches this service may change it.');
    return undefined;
  }
  const password = generatePassword();
  const failure = await settings.store(
    'first start',
    new Map([['auth.password', await hashPassword(password)]]),
  );
  if (failure === undefined) return password;
  log.error('The generated password could not be stored, so nobody can log in', { reason: failure.hint });
  return undefined;
};
