// The suite of all backends, on SQLite.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe } from 'node:test';
import { testStorage } from '#testing/store/behaviour';
import { openStorage } from './storage.ts';

const root = mkdtempSync(join(tmpdir(), 'sluice-behaviour-'));
after(() => rmSync(root, { recursive: true }));

describe('SQLite', () =>
  testStorage(() => {
    const dataDir = mkdtempSync(join(root, 'data-'));
    return async (nowMs) => {
      const storage = await openStorage({ dataDir, nowMs, onBroken: assert.fail });
      return typeof storage === 'string' ? assert.fail(storage) : storage;
    };
  }));
