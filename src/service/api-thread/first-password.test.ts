// Where the first password is shown, and when its file is deleted.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { LiveSettings, type Pinned } from '#store/settings';
import { deliverPassword, passwordLines, type PasswordPlace } from './first-password.ts';

const root = mkdtempSync(join(tmpdir(), 'sluice-first-password-'));
after(() => rmSync(root, { recursive: true }));

function scene(stored: string | undefined, pinned?: string) {
  const dataDir = mkdtempSync(join(root, 'data-'));
  const layers = {
    pinned: new Map<string, Pinned>(
      pinned === undefined ? [] : [['auth.password', { value: pinned, source: 'environment' }]],
    ),
    stored: new Map(stored === undefined ? [] : [['auth.password', stored]]),
    defaults: new Map<string, never>(),
  };
  // Only whether the change is stored matters here.
  const settings = new LiveSettings(layers, (async () => ({ ok: true, version: 1 })) as never);
  return { dataDir, settings, file: join(dataDir, 'first-password') };
}

describe('a generated password', () => {
  it('is on the screen when the output is a terminal, and in no file', () => {
    const { dataDir, settings, file } = scene('a hash');
    writeFileSync(file, 'an earlier one');
    const place = deliverPassword('abcde-fghij', { dataDir, settings, isTerminal: true });
    assert.deepEqual(place, { kind: 'screen', password: 'abcde-fghij' });
    assert.equal(existsSync(file), false);
  });

  it('is in a file for its owner when the output is no terminal, until there is another one', async () => {
    const { dataDir, settings, file } = scene('a hash');
    const place = deliverPassword('abcde-fghij', { dataDir, settings, isTerminal: false });
    assert.deepEqual(place, { kind: 'file', file });
    assert.equal(readFileSync(file, 'utf8'), 'abcde-fghij\n');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    await settings.store('me', new Map([['web.http', '*:81']]));
    assert.equal(existsSync(file), true);
    await settings.store('me', new Map([['auth.password', 'another hash']]));
    assert.equal(existsSync(file), false);
  });

  it('that cannot be written is reported with the reason', () => {
    const { dataDir, settings, file } = scene('a hash');
    mkdirSync(file);
    const place = deliverPassword('abcde-fghij', { dataDir, settings, isTerminal: false });
    assert.equal(place.kind, 'unwritten');
    assert.doesNotMatch(passwordLines(place).join(' '), /abcde/u);
  });
});

describe('the password of a later start', () => {
  const rows: readonly (readonly [
    what: string,
    stored: string | undefined,
    pinned: string | undefined,
    kind: string,
  ])[] = [
    ['of the database is still in the file', 'a hash', undefined, 'file'],
    ['of the environment makes the file useless', 'a hash', 'a hash', 'set'],
    ['that was removed makes the file useless', '', undefined, 'none'],
  ];
  for (const [what, stored, pinned, kind] of rows)
    it(what, () => {
      const { dataDir, settings, file } = scene(stored, pinned);
      writeFileSync(file, 'abcde-fghij\n');
      assert.equal(deliverPassword(undefined, { dataDir, settings }).kind, kind);
      assert.equal(existsSync(file), kind === 'file');
    });
});

describe('the lines about the password', () => {
  const rows: readonly (readonly [PasswordPlace, RegExp])[] = [
    [{ kind: 'screen', password: 'abcde' }, /^abcde shown only now; `sluice password` sets another$/u],
    [{ kind: 'file', file: '/d/first-password' }, /^in \/d\/first-password only its owner can read it/u],
    [{ kind: 'unwritten', file: '/d/f', reason: 'ENOSPC' }, /written to \/d\/f: ENOSPC\. `sluice password`/u],
    [{ kind: 'set', source: 'environment' }, /^as set by the environment$/u],
    [{ kind: 'set', source: 'database' }, /^as set by `sluice password` or the API$/u],
    [{ kind: 'none' }, /^none: anyone who can reach this service/u],
  ];
  for (const [place, expected] of rows)
    it(`${place.kind}: ${expected.source}`, () => assert.match(passwordLines(place).join(' '), expected));
});
