import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutSecrets } from './shown-address.ts';

describe('withoutSecrets removes password, query and fragment', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['https://lists.example/a.txt', 'https://lists.example/a.txt'],
    ['https://me:secret@lists.example:8443/a.txt?token=secret#secret', 'https://lists.example:8443/a.txt'],
    ['ftp://me:secret@lists.example/a.txt', 'ftp://lists.example/a.txt'],
    ['htps://me:secret@lists.example/a.txt', 'htps://lists.example/a.txt'],
    ['https://me:secret@lists.example:port/a?secret', 'https://lists.example:port/a'],
    ['file:///var/lists/a.txt', 'file:///var/lists/a.txt'],
    ['file://other/a.txt', 'file://other/a.txt'],
    ['sluice:built-in', 'sluice:built-in'],
    ['a.txt', 'a.txt'],
  ];
  for (const [address, shown] of rows)
    it(`${address} becomes ${shown}`, () => assert.equal(withoutSecrets(address), shown));
});
