// Installs missing Debian packages of debian-packages.txt before the tests run, if it can (root, apt-get);
// otherwise prints the command that installs them. So no test is skipped or fails because of a missing
// package.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT, run } from './run.ts';

export const LIST_FILE = join(ROOT, 'debian-packages.txt');

const TIMEOUT_MS = 10 * 60 * 1000;

/** Undefined if all packages are installed; otherwise one line that says what to do. */
export async function systemPackagesProblem(listFile = LIST_FILE): Promise<string | undefined> {
  const missing = await missingOf(namesIn(readFileSync(listFile, 'utf8')));
  if (missing.length === 0) return undefined;
  const command = `apt-get update && apt-get install -y --no-install-recommends ${missing.join(' ')}`;
  if (process.getuid?.() !== 0 || !(await run('apt-get', ['--version'])).isOk) {
    return `The tests need Debian packages that are missing; as root, run: ${command}`;
  }
  console.error(`Installing ${missing.join(', ')} (see debian-packages.txt)`);
  if (await install(missing)) return undefined;
  return `Installing Debian packages failed, see above; to try by hand, run: ${command}`;
}

export function namesIn(list: string): string[] {
  return list
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((name) => name !== '');
}

async function missingOf(names: readonly string[]): Promise<string[]> {
  const states = await Promise.all(
    names.map((name) => run('dpkg-query', ['-W', '-f', '${db:Status-Status}', '--', name])),
  );
  // dpkg-query also knows packages that were removed and left their settings behind.
  return names.filter((_, index) => states[index]?.output !== 'installed');
}

async function install(names: readonly string[]): Promise<boolean> {
  const deadlineMs = performance.now() + TIMEOUT_MS;
  const aptGet = async (...args: string[]): Promise<boolean> => {
    const { isOk } = await run('apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...args], {
      output: 'stderr',
      env: { DEBIAN_FRONTEND: 'noninteractive' },
      timeoutMs: Math.max(1, Math.round(deadlineMs - performance.now())),
    });
    return isOk;
  };
  return (await aptGet('update')) && (await aptGet('install', '-y', '--no-install-recommends', ...names));
}

if (import.meta.main) {
  const problem = await systemPackagesProblem();
  if (problem !== undefined) console.error(problem);
  process.exitCode = problem === undefined ? 0 : 1;
}
