// Damages each file of the database in every way, in a folder after kill -9 and in one after a clean stop:
// either all stored data is there, or the service reports what is missing. The table in docs/operating.md
// must list the same results.

import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { damages, type Damage } from '../../../test/running/damage.ts';
import { damageRow } from '../../../test/running/damage-table.ts';
import { maintainDatabase } from './maintain-database.ts';
import { groupTable } from './groups.ts';
import { openStorage, type Storage } from './storage.ts';

/**
 * `whole`: all data is there, without a report. `warned`: all data is there, and the log names the damage.
 * `restored`: the copy is in use, health is degraded, and a message says how many changes are missing.
 * `reported`: the damaged file is in use, health is degraded, and a message says that it was modified.
 */
type Outcome = 'whole' | 'warned' | 'restored' | 'reported';
type Row = Readonly<Record<Damage, Outcome>>;

const kinds = ['deleted', 'emptied', 'cut in half', 'byte early', 'byte in the middle', 'garbage'] as const;
const row = (...outcomes: readonly Outcome[]): Row => ({
  deleted: outcomes[0] ?? 'whole',
  emptied: outcomes[1] ?? 'whole',
  'cut in half': outcomes[2] ?? 'whole',
  'byte early': outcomes[3] ?? 'whole',
  'byte in the middle': outcomes[4] ?? 'whole',
  garbage: outcomes[5] ?? 'whole',
});
const all = (outcome: Outcome): Row => row(...kinds.map(() => outcome));
const highWaterMark = row('warned', 'warned', 'whole', 'whole', 'whole', 'warned');
const copy = 'copies/sluice-2026-01-10.db';

/** Right after kill -9 the log contains all data; SQLite only needs the database file to exist. */
const afterKill: Readonly<Record<string, Row>> = {
  'sluice.db': row('restored', 'restored', 'whole', 'whole', 'whole', 'whole'),
  'sluice.db-wal': all('restored'),
  'sluice.db-shm': all('whole'),
  'sluice.db.last-change': highWaterMark,
  [copy]: all('whole'),
  [`${copy}.checksum`]: all('whole'),
};

const afterStop: Readonly<Record<string, Row>> = {
  'sluice.db': row('restored', 'restored', 'restored', 'reported', 'restored', 'restored'),
  'sluice.db.checksum': all('whole'),
  'sluice.db.last-change': highWaterMark,
  [copy]: all('whole'),
};

const root = mkdtempSync(join(tmpdir(), 'sluice-damaged-'));
after(() => rmSync(root, { recursive: true }));
const nowMs = Date.UTC(2026, 0, 10);
const filled = join(root, 'filled');
const killed = join(root, 'killed');
let folders = 0;

async function open(dataDir: string): Promise<Storage> {
  const storage = await openStorage({ dataDir, nowMs: () => nowMs, onDamaged: assert.fail });
  if (typeof storage === 'string') assert.fail(storage);
  return storage;
}

async function addGroups(storage: Storage, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const outcome = await storage.change('me', (scope) =>
      groupTable.insert(scope, { name, comment: null, enabled: true }),
    );
    assert.ok(outcome.ok);
  }
}

/** Three changes, a copy, two more changes. Files copied while the database is open are as after kill -9. */
before(async () => {
  mkdirSync(filled);
  const storage = await open(filled);
  await addGroups(storage, ['one', 'two', 'three']);
  assert.deepEqual(await maintainDatabase(filled, nowMs), { state: 'good', copied: true });
  await addGroups(storage, ['four', 'five']);
  cpSync(filled, killed, { recursive: true });
  await storage.close();
});

const checks: Readonly<Record<Outcome, (storage: Storage) => void>> = {
  whole: (storage) => {
    assert.equal(storage.read.groups.size, 6);
    assert.deepEqual([storage.alarms, storage.losses()], [[], undefined]);
  },
  warned: (storage) => {
    assert.equal(storage.read.groups.size, 6);
    assert.match(storage.alarms.join(), /last-change, is (?:missing|unreadable).*creates the file again/);
  },
  reported: (storage) => {
    assert.deepEqual([storage.origin, storage.read.groups.size], ['existing', 6]);
    assert.match(storage.alarms.join(' '), /was modified from outside: its checksum does not match/);
    assert.equal(storage.losses(), storage.alarms.join(' '));
  },
  restored: (storage) => {
    assert.deepEqual([storage.origin, storage.read.groups.size], ['restored', 4]);
    assert.match(
      storage.alarms.join(' '),
      /is broken: .*copy of 2026-01-10 was restored.* Missing: 2 changes/,
    );
    assert.equal(storage.losses(), storage.alarms.join(' '));
  },
};

/** The damaged file is kept, and the next start raises no alarm. */
async function checkNextStart(dataDir: string, file: string, damaged: Buffer | undefined): Promise<void> {
  const aside = readdirSync(dataDir).filter((name) => name.startsWith('sluice.db.broken-'));
  const suffix = file.slice('sluice.db'.length);
  const kept = aside.find((name) => name.endsWith(`Z${suffix}`));
  if (damaged !== undefined && aside.length > 0)
    assert.deepEqual(readFileSync(join(dataDir, kept ?? 'nothing was kept')), damaged);
  const again = await open(dataDir);
  assert.deepEqual(again.alarms, []);
  await again.close();
}

function tableTests(name: string, template: string, table: Readonly<Record<string, Row>>): void {
  describe(name, () => {
    for (const [file, outcomes] of Object.entries(table))
      for (const kind of kinds)
        it(`${file}, ${kind}: ${outcomes[kind]}`, async () => {
          const dataDir = join(root, `damaged-${folders++}`);
          cpSync(template, dataDir, { recursive: true });
          const path = join(dataDir, file);
          damages[kind](path);
          const damaged = existsSync(path) ? readFileSync(path) : undefined;
          const storage = await open(dataDir);
          checks[outcomes[kind]](storage);
          await storage.close();
          await checkNextStart(dataDir, file, outcomes[kind] === 'restored' ? damaged : undefined);
        });
  });
}

/** The document describes files after a stop, and the log and its index, which exist only after a kill. */
describe('The table of docs/operating.md', () => {
  const words = { whole: 'harmless', warned: 'loud', reported: 'loud', restored: 'restored' } as const;
  const { 'sluice.db-wal': log, 'sluice.db-shm': index } = afterKill;
  const files = Object.entries({ ...afterStop, 'sluice.db-wal': log, 'sluice.db-shm': index });
  for (const [file, outcomes] of files)
    it(`lists the same results for ${file}`, () => {
      for (const kind of kinds) {
        const word = words[outcomes?.[kind] ?? 'whole'];
        assert.ok(damageRow(file)[kind].split(', ').includes(word), `${file}, ${kind}: ${word}`);
      }
    });
});

tableTests('A folder after kill -9', killed, afterKill);
tableTests('A folder after a clean stop', filled, afterStop);

describe('A damaged copy', () => {
  for (const kind of kinds)
    it(`of today, ${kind}, is replaced by the daily maintenance`, async () => {
      const dataDir = join(root, `copy-${folders++}`);
      cpSync(filled, dataDir, { recursive: true });
      damages[kind](join(dataDir, copy));
      assert.deepEqual(await maintainDatabase(dataDir, nowMs), { state: 'good', copied: true });
      assert.deepEqual(await maintainDatabase(dataDir, nowMs), { state: 'good', copied: false });
    });

  it('of another day is reported by the daily maintenance', async () => {
    const dataDir = join(root, `copy-${folders++}`);
    cpSync(filled, dataDir, { recursive: true });
    damages['byte in the middle'](join(dataDir, copy));
    const result = await maintainDatabase(dataDir, nowMs + 86_400_000);
    assert.deepEqual(result, { state: 'good', copied: true, damaged: ['2026-01-10'] });
  });
});
