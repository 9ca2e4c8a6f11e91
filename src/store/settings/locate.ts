// Finds the settings file and the data folder before anything else is loaded. The compile cache is in the
// data folder and only speeds up modules that are loaded after it is enabled, so this file imports almost
// nothing.

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'smol-toml';

export interface Located {
  /** The settings file, if there is one. */
  readonly configFile: string | undefined;
  readonly dataDir: string;
  /** Why the settings file cannot be used, and what to do. */
  readonly problem: string | undefined;
  /** The content of the file; empty when there is no file or it cannot be used. */
  readonly file: Readonly<Record<string, unknown>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const usualPlaces = ['./sluice.toml', '/etc/sluice/sluice.toml'];

export function locate(configOption: string | undefined, env: Environment): Located {
  const named = configOption ?? env['SLUICE_CONFIG'];
  const configFile = named ?? usualPlaces.find((path) => existsSync(path));
  const read = configFile === undefined ? { file: {}, problem: undefined } : readToml(configFile);
  return { configFile, dataDir: resolve(dataDir(read.file, env)), ...read };
}

/** The data folder when neither the environment nor the file sets it: systemd's state folder, else ./data. */
const defaultDataDir = (env: Environment): string => env['STATE_DIRECTORY']?.split(':')[0] || './data';

/** The defaults that depend on the machine. */
export const machineDefaults = (located: Located): ReadonlyMap<string, string> =>
  new Map([['storage.dir', located.dataDir]]);

function dataDir(file: Readonly<Record<string, unknown>>, env: Environment): string {
  const storage = file['storage'];
  const dir = typeof storage === 'object' && storage !== null && 'dir' in storage ? storage.dir : undefined;
  return env['SLUICE_STORAGE_DIR'] || (typeof dir === 'string' && dir) || defaultDataDir(env);
}

function readToml(path: string): Pick<Located, 'file' | 'problem'> {
  try {
    return { file: parse(readFileSync(path, 'utf8')), problem: undefined };
  } catch (error) {
    return { file: {}, problem: `The settings file ${path} cannot be used: ${reason(error)}` };
  }
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'ENOENT') return 'it does not exist. Create it, or name another one.';
  if ('code' in error && error.code === 'EACCES')
    return 'it may not be read. Give the service the right to read it.';
  return `${error.message.trim()}\nCorrect it; \`sluice config check\` says whether it is right.`;
}
