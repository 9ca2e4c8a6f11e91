// The rooms of src/ and the arrows between them, as data. ARCHITECTURE.md draws the same picture; whoever
// adds a room or an arrow changes both. `wire` and `contract` are pure on purpose: they also run where there
// is no Node.

export type Room = {
  /** Rooms whose door this one may use. */
  readonly rooms: readonly string[];
  /** npm packages it may use; undefined means any. */
  readonly packages?: readonly string[];
  /** Whether `node:` modules are allowed. */
  readonly node: boolean;
};

export const ROOMS: Readonly<Record<string, Room>> = {
  wire: { rooms: [], packages: [], node: false },
  policy: { rooms: ['wire'], node: true },
  engine: { rooms: ['wire', 'policy'], node: true },
  server: { rooms: ['wire', 'policy', 'engine', 'contract'], node: true },
  contract: { rooms: [], packages: ['typebox'], node: false },
  web: { rooms: ['contract'], node: false },
  cli: { rooms: ['contract', 'server'], node: true },
};

/** The name of the folder under src/ that the file stands in, known or not. */
export function roomOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1];
}
