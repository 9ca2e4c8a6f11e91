// What `Storage` promises to the rest of the program, as tests that every backend runs: they use the port
// alone, and know nothing of files or of a database.

import { describe } from 'node:test';
import { testAtomicity, testOrder, testSubscribers, testVersions } from './change-tests.ts';
import { testMasking, testRestorePoints, testRetention, testRevisions } from './revision-tests.ts';
import { type Open, withStorageOf } from './scene.ts';

/** `newOpen` returns an opener of a new storage. Call this in a `describe` that names the backend. */
export function testStorage(newOpen: () => Open): void {
  const withStorage = withStorageOf(newOpen);
  describe('a change', () => {
    testAtomicity(withStorage);
    testOrder(withStorage);
    testSubscribers(withStorage);
  });
  describe('versions', () => testVersions(withStorage));
  describe('revisions', () => {
    testRevisions(withStorage);
    testMasking(withStorage);
    testRetention(withStorage);
  });
  describe('a change of many items', () => testRestorePoints(withStorage));
}
