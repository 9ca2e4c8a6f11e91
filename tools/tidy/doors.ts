// The doors of the rooms, from `imports` in package.json: the one list that Node, the type checker, the
// bundler and these rules share. A room has several doors if one would load too much.

import manifest from '../../package.json' with { type: 'json' };

const DOORS: ReadonlyMap<string, string> = new Map(
  Object.entries(manifest.imports).map(([specifier, path]) => [specifier, path.replace('./', '')]),
);

/** The file of a door, relative to the root of the repository; undefined if there is no such door. */
export function behindDoor(specifier: string): string | undefined {
  const exact = DOORS.get(specifier);
  if (exact !== undefined) return exact;
  for (const [pattern, path] of DOORS) {
    const star = pattern.indexOf('*');
    if (star === -1 || !specifier.startsWith(pattern.slice(0, star))) continue;
    return path.replace('*', specifier.slice(star));
  }
  return undefined;
}

const FILES: ReadonlySet<string> = new Set(DOORS.values());

export function isDoor(path: string): boolean {
  return FILES.has(path);
}

/** For messages: the doors of one room. */
export function doorsOf(room: string): string {
  const doors = [...DOORS.keys()].filter((door) => door === `#${room}` || door.startsWith(`#${room}/`));
  return doors.join(', ') || 'it has none';
}
