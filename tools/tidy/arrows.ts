// Rules about imports between rooms. These arrows are the architecture: as long as they hold, a room can be
// read, tested and replaced alone. Tests follow the arrows too, but may use any package, src/testing and
// files of test/. The room src/testing may import every file of src.

import { isBuiltin } from 'node:module';

import type { Import } from './imports.ts';
import type { Finding, Rule } from './rule.ts';
import { behindDoor, doorsOf, isDoor } from './doors.ts';
import { ROOMS, roomOf, TESTING, type Room } from './rooms.ts';
import { isTest, lineAt, type Source } from './source.ts';

export const arrow: Rule = {
  name: 'arrow',
  check(file) {
    const name = roomOf(file.path);
    if (name === undefined) return strayFile(file);
    if (name === TESTING) return [];
    const room = ROOMS[name];
    if (room === undefined) {
      return [{ line: 1, message: `src/${name} is not a known room: add it to tools/tidy/rooms.ts` }];
    }
    return report(file, (entry) => wrongArrow(file, name, room, entry));
  },
};

export const door: Rule = {
  name: 'door',
  check: (file) =>
    report(file, (entry) => {
      const { specifier, target = '' } = entry;
      if (specifier.startsWith('#'))
        return behindDoor(specifier) === undefined ? noDoor(specifier) : undefined;
      const room = roomOf(target);
      if (room === undefined || room === roomOf(file.path) || mayEnter(file.path, room, entry))
        return undefined;
      return `'${specifier}' enters the room ${room} by path: use one of its doors (${doorsOf(room)})`;
    }),
};

/** Exceptions: src/testing imports by path, and a test names the entry of a test thread by path. */
function mayEnter(from: string, room: string, { specifier, isAddress }: Import): boolean {
  if (!specifier.startsWith('.') || roomOf(from) === TESTING) return true;
  return room === TESTING && isAddress && isTest(from);
}

function noDoor(specifier: string): string {
  const room = /^#([a-z-]+)/.exec(specifier)?.[1] ?? '';
  return `'${specifier}' is not a door; the doors of ${room}, in package.json: ${doorsOf(room)}`;
}

export const ownDoor: Rule = {
  name: 'own-door',
  check: (file) =>
    report(file, ({ specifier, target }) => {
      const own = roomOf(file.path);
      if (own === undefined || own === TESTING || target === undefined || roomOf(target) !== own)
        return undefined;
      const isByDoor = specifier.startsWith('#') || (isDoor(target) && target.endsWith('/index.ts'));
      return isByDoor
        ? `'${specifier}' is a door of the file's own room: import the file by relative path`
        : undefined;
    }),
};

export const oneFastify: Rule = {
  name: 'one-fastify',
  check(file, tree) {
    const users = tree.filter((other) => other.path.startsWith('src/') && other.imports.some(isFastify));
    if (users.length < 2 || !users.includes(file)) return [];
    const others = users.filter((user) => user !== file).map((user) => user.path);
    const message = `${others.join(', ')} imports fastify too: import it, and its types, in one file of src`;
    return report(file, (entry) => (isFastify(entry) ? message : undefined));
  },
};

function isFastify({ specifier }: Import): boolean {
  return specifier === 'fastify' || specifier.startsWith('fastify/');
}

function strayFile({ path, imports }: Source): Finding[] {
  if (!path.startsWith('src/') || imports.length === 0) return [];
  return [{ line: 1, message: 'every file of src belongs to a room: move it into the folder of its room' }];
}

function wrongArrow(
  file: Source,
  name: string,
  room: Room,
  { specifier, target }: Import,
): string | undefined {
  if (target !== undefined) return wrongTarget(file, name, room, target);
  if (isTest(file.path) || specifier.startsWith('#')) return undefined;
  return wrongPackage(name, room, specifier);
}

function wrongPackage(name: string, room: Room, specifier: string): string | undefined {
  if (isBuiltin(specifier)) {
    return room.node ? undefined : `${name} runs without Node: remove '${specifier}'`;
  }
  const used = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0];
  if (room.packages === undefined || room.packages.some((allowed) => allowed === used)) return undefined;
  return `${name} may import ${room.packages.join(', ') || 'no package'}: remove '${specifier}'`;
}

function wrongTarget(file: Source, name: string, room: Room, target: string): string | undefined {
  const other = roomOf(target);
  if (other === undefined) {
    const isOutside = /^(?:test|tools|bench)\//.test(target) && !isTest(file.path);
    return isOutside ? `src must not import ${target}: move the needed code into src` : undefined;
  }
  if (other === name || room.rooms.includes(other)) return undefined;
  if (other === TESTING && isTest(file.path)) return undefined;
  const allowed = room.rooms.map((allowedRoom) => `#${allowedRoom}`).join(', ') || 'no other room';
  return `no arrow ${name} -> ${other}: ${name} may import ${allowed}`;
}

function report(file: Source, judge: (entry: Import) => string | undefined): Finding[] {
  return file.imports.flatMap((entry) => {
    const message = judge(entry);
    return message === undefined ? [] : [{ line: lineAt(file.text, entry.offset), message }];
  });
}
