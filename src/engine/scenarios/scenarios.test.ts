// Plays every scenario file of this folder. A failure names the file and the line.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { playScenario } from '#testing/engine/scenario-player';

const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.scenario'));

describe('scenarios', () => {
  for (const file of files)
    test(file.replace('.scenario', ''), () => {
      playScenario(readFileSync(join(import.meta.dirname, file), 'utf8'), file);
    });

  test('a wrong expectation is found, with its line', () => {
    const wrong = 'ask www.example A\nupstream www.example A\nreply NOERROR\nanswer NXDOMAIN\n';
    assert.throws(() => playScenario(wrong, 'x.scenario'), /x\.scenario:4 answer NXDOMAIN/u);
    assert.throws(() => playScenario('ask www.example A\n', 'x.scenario'), /asked for www\.example A/u);
  });
});
