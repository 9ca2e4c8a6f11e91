// What `Storage` promises to the rest of the program, as tests that every backend runs: they use the port
// alone, and know nothing of files or of a database.

import { describe } from 'node:test';
import { testAtomicity, testOrder, testSubscribers, testVersions } from './change-tests.ts';
import { testMasking, testRestorePoints, testRetention, testRevisions } from './revision-tests.ts';
import { type Open, withStorageOf } from './scene.ts';

/** `newOpen` gives the way to open a storage that no other test uses. */
export function testStorage(backend: string, newOpen: () => Open): void {
  const withStorage = withStorageOf(newOpen);
  describe(`${backend}: a change`, () => {
    testAtomicity(withStorage);
    testOrder(withStorage);
    testSubscribers(withStorage);
  });
  describe(`${backend}: versions`, () => testVersions(withStorage));
  describe(`${backend}: revisions`, () => {
    testRevisions(withStorage);
    testMasking(withStorage);
    testRetention(withStorage);
  });
  describe(`${backend}: a change of many items`, () => testRestorePoints(withStorage));
}
