// Debian's Chromium for tests. It reaches this machine only: `names` resolve to 127.0.0.1, all others to
// nothing.

import { chromium, type Browser } from 'playwright-core';

import { atEnd } from './leftovers.ts';

/** Long enough for a browser on a busy machine; a page that never loads still fails the test. */
export const patienceMs = 100_000;

export const launchBrowser = async (names: readonly string[] = []): Promise<Browser> => {
  const rules = [
    ...names.map((name) => `MAP ${name} 127.0.0.1`),
    'MAP * ~NOTFOUND',
    'EXCLUDE 127.0.0.1',
    'EXCLUDE localhost',
  ];
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    timeout: patienceMs,
    args: [
      // Chromium has no sandbox as root; the pages are our own.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      `--host-resolver-rules=${rules.join(', ')}`,
      '--disable-background-networking',
      '--disable-dev-shm-usage',
    ],
  });
  atEnd(() => void browser.close().catch(() => undefined));
  return browser;
};
