// The rooms of src/ and the allowed imports between them. ARCHITECTURE.md has the same table: change both
// together. `wire` and `contract` also run without Node.

export type Room = {
  /** Rooms whose doors this one may use. */
  readonly rooms: readonly string[];
  /** npm packages it may use; undefined means any. */
  readonly packages?: readonly string[];
  /** Whether `node:` modules are allowed. */
  readonly node: boolean;
};

const PURE = ['wire', 'contract', 'policy', 'engine'];

export const ROOMS: Readonly<Record<string, Room>> = {
  wire: { rooms: [], packages: [], node: false },
  contract: { rooms: [], packages: ['typebox'], node: false },
  policy: { rooms: ['wire'], node: true },
  engine: { rooms: ['wire', 'policy'], node: true },
  platform: { rooms: ['wire', 'contract'], node: true },
  store: { rooms: ['contract', 'policy', 'platform'], node: true },
  history: { rooms: ['wire', 'contract', 'engine', 'platform'], node: true },
  lists: { rooms: [...PURE, 'platform', 'store'], node: true },
  control: { rooms: [...PURE, 'platform', 'store', 'history', 'lists'], node: true },
  api: { rooms: [...PURE, 'platform', 'store', 'history', 'lists', 'control'], node: true },
  service: { rooms: [...PURE, 'platform', 'store', 'history', 'lists', 'control', 'api'], node: true },
  cli: { rooms: ['contract', 'service'], node: true },
  web: { rooms: ['contract'], node: false },
};

/**
 * Code shared by tests and benchmarks. It may import every room by path; only tests and benchmarks import it.
 */
export const TESTING = 'testing';

/** The name of the file's folder below src/, also if it is not a known room. */
export function roomOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1];
}

/** The folder inside the room; undefined for a file directly in the room. */
export function folderOf(path: string): string | undefined {
  return /^src\/[^/]+\/([^/]+)\//.exec(path)?.[1];
}
