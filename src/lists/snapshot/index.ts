// The door of the snapshot file: the compiled lists in the data folder.

export { readPreviousSnapshot, readSnapshotFile, snapshotFile } from './read-snapshot.ts';
export { loadSnapshotFile, readBuildRecord } from './snapshot-file.ts';
