// Sees to it that there is a password. Without one in the environment, the file or the database, one is
// generated, stored as a hash and given back to be shown once: a service on a network must not be open
// because nobody has thought of closing it. An explicitly empty one is somebody's decision, and is said at
// every start.

import { generatePassword, hashPassword } from '#api/auth';
import type { Log } from '#platform/log';
import type { LiveSettings } from '#store/settings';
import type { Secrets } from '#store/database';

/** Set until the generated password was shown: a start that ends before must not lock everybody out. */
const notShownName = 'password was not shown';

/** The password was shown, or somebody has set another. */
export async function passwordWasShown(secrets: Secrets): Promise<void> {
  if (secrets.get(notShownName) !== undefined) await secrets.set(notShownName, undefined);
}

/** The password that was made just now; nothing when there was one. */
export async function ensurePassword(
  settings: LiveSettings,
  secrets: Secrets,
  log: Log,
): Promise<string | undefined> {
  const now = settings.resolved.byPath.get('auth.password');
  const wasNeverShown = secrets.get(notShownName) !== undefined && now?.source === 'database';
  if (now !== undefined && now.source !== 'default' && !wasNeverShown) {
    if (now.value === '')
      log.warn('auth.password is empty: everybody who reaches this service may change it.');
    return undefined;
  }
  const password = generatePassword();
  await secrets.set(notShownName, 'yes');
  const stored = await settings.store(
    'first start',
    new Map([['auth.password', await hashPassword(password)]]),
  );
  if (!('failure' in stored)) return password;
  log.error('The generated password could not be stored, so nobody can log in', { reason: stored.hint });
  return undefined;
}
