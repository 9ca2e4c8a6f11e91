// Makes sure that there is a password. Without one in the environment, the settings file or the database, it
// generates one, stores its hash and returns it to be shown once: the service must not be open by default. An
// empty password is an explicit decision of the operator, and every start logs a warning.

import { generatePassword, hashPassword } from '#api/auth';
import type { Log } from '#platform/log';
import type { LiveSettings } from '#store/settings';
import type { Secrets } from '#store/database';

/** Set until the generated password was shown: if a start ends before, the next one generates another. */
const notShownName = 'password was not shown';

/** Call when the password was shown, or when there is another one. */
export async function markPasswordShown(secrets: Secrets): Promise<void> {
  if (secrets.get(notShownName) !== undefined) await secrets.set(notShownName, undefined);
}

/** The generated password; undefined when there was one already. */
export async function ensurePassword(
  settings: LiveSettings,
  secrets: Secrets,
  log: Log,
): Promise<string | undefined> {
  const now = settings.resolved.byPath.get('auth.password');
  const wasNeverShown = secrets.get(notShownName) !== undefined && now?.source === 'database';
  if (now !== undefined && now.source !== 'default' && !wasNeverShown) {
    if (now.value === '')
      log.warn('auth.password is empty: anyone who can reach this service can change its settings.');
    return undefined;
  }
  const password = generatePassword();
  await secrets.set(notShownName, 'yes');
  const stored = await settings.store(
    'first start',
    new Map([['auth.password', await hashPassword(password)]]),
  );
  if (!('failure' in stored)) return password;
  log.error('The generated password could not be stored, so logging in is impossible', {
    reason: stored.hint,
  });
  return undefined;
}
