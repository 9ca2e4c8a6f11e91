// The rooms of src/ and the arrows between them, as data. ARCHITECTURE.md draws the same picture: change both
// together. `wire` and `contract` are pure on purpose: they also run where there is no Node.

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

/** What several rooms' tests and measurements share. It may use every room, by path; only tests use it. */
export const TESTING = 'testing';

/** The name of the folder under src/ that the file stands in, known or not. */
export function roomOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1];
}

/** The folder inside the room; undefined for a file that stands in the room itself. */
export function folderOf(path: string): string | undefined {
  return /^src\/[^/]+\/([^/]+)\//.exec(path)?.[1];
}
