// Makes sure that there is a password. Without one in the environment, the settings file or the database, it
// generates one and stores its hash: the service must not be open by default. The password is shown once: on
// a terminal, otherwise in a file that only its owner can read, because journals and container logs are kept
// and read by others. An empty password is an explicit decision of the operator, and every start logs a
// warning.

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import { generatePassword, hashPassword } from '#api/auth';
import { writeWhole } from '#platform/files';
import type { Log } from '#platform/log';
import { errorText } from '#platform/tasks';
import type { LiveSettings, SettingSource } from '#store/settings';
import type { Secrets } from '#store/database';

/** Set until the generated password was shown: if a start ends before, the next one generates another. */
const notShownName = 'password was not shown';
const path = 'auth.password';
const standardOutput = 1;

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
  const now = settings.resolved.byPath.get(path);
  const wasNeverShown = secrets.get(notShownName) !== undefined && now?.source === 'database';
  if (now !== undefined && now.source !== 'default' && !wasNeverShown) {
    if (now.value === '')
      log.warn('auth.password is empty: anyone who can reach this service can change its settings.');
    return undefined;
  }
  const password = generatePassword();
  await secrets.set(notShownName, 'yes');
  const stored = await settings.store('first start', new Map([[path, await hashPassword(password)]]));
  if (!('failure' in stored)) return password;
  log.error('The generated password could not be stored, so logging in is impossible', {
    reason: stored.hint,
  });
  return undefined;
}

/** Where a person finds the password. */
export type PasswordPlace =
  | { readonly kind: 'screen'; readonly password: string }
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'unwritten'; readonly file: string; readonly reason: string }
  | { readonly kind: 'set'; readonly source: SettingSource }
  | { readonly kind: 'none' };

export interface PasswordDelivery {
  readonly dataDir: string;
  readonly settings: LiveSettings;
  readonly isTerminal?: boolean;
}

/** Without a terminal a generated password goes to a file. The file of an earlier password is deleted. */
export function deliverPassword(password: string | undefined, delivery: PasswordDelivery): PasswordPlace {
  const { dataDir, settings, isTerminal = isatty(standardOutput) } = delivery;
  const file = join(dataDir, 'first-password');
  const remove = (): void => removeFile(file);
  settings.subscribe((changed) => (changed.has(path) ? remove() : undefined));
  if (password === undefined) return existingPlace(file, settings, remove);
  if (isTerminal) {
    remove();
    return { kind: 'screen', password };
  }
  try {
    writeWhole(file, Buffer.from(`${password}\n`));
    return { kind: 'file', file };
  } catch (error) {
    return { kind: 'unwritten', file, reason: errorText(error) };
  }
}

/** A folder that is not writable has no such file, or keeps it. */
function removeFile(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {}
}

function existingPlace(file: string, settings: LiveSettings, remove: () => void): PasswordPlace {
  const now = settings.resolved.byPath.get(path);
  if (now?.source === 'database' && now.value !== '' && existsSync(file)) return { kind: 'file', file };
  remove();
  return now === undefined || now.value === '' ? { kind: 'none' } : { kind: 'set', source: now.source };
}

export function passwordLines(place: PasswordPlace): readonly string[] {
  switch (place.kind) {
    case 'screen':
      return [place.password, 'shown only now; `sluice password` sets another'];
    case 'file':
      return [
        `in ${place.file}`,
        'only its owner can read it; `sluice password` sets another and deletes it',
      ];
    case 'unwritten':
      return [`could not be written to ${place.file}: ${place.reason}. \`sluice password\` sets one`];
    case 'set':
      return [`as set by ${sourceNames[place.source]}`];
    case 'none':
      return ['none: anyone who can reach this service can change its settings; `sluice password` sets one'];
  }
}

const sourceNames: Readonly<Record<SettingSource, string>> = {
  environment: 'the environment',
  file: 'the settings file',
  database: '`sluice password` or the API',
  default: 'the program',
};
