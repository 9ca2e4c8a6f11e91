// `npm run dev` in a copy of the checkout: it runs the sources and restarts when one of them changes, also
// one that only a thread loads.

import assert from 'node:assert/strict';
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { bootFor } from './running/boot.ts';
import { copyOfCheckout, npmIn } from './running/checkout-copy.ts';
import { until } from './running/waiting.ts';

test('npm run dev runs the sources and restarts when the source of a thread changes', async (t) => {
  const checkout = copyOfCheckout();
  const service = await bootFor(t, { wrap: npmIn(checkout, 'dev') });
  const [before = 0, stopped = 0] = ['Ready', 'Stopped'].map((word) => countOf(service.log(), word));
  assert.equal(stopped, 0);
  appendFileSync(join(checkout, 'src', 'history', 'segments', 'rows.ts'), '\n');
  await until('The service has stopped and is ready again', () => {
    const [ready = 0, ended = 0] = ['Ready', 'Stopped'].map((word) => countOf(service.log(), word));
    return (ready > before && ended > stopped) || undefined;
  });
  assert.doesNotMatch(service.log(), / error /);
  assert.ok(!existsSync(join(checkout, 'dist')), 'A bundle was built.');
});

const countOf = (log: string, word: string): number => log.split(`main: ${word}`).length - 1;
