// Rules about who may import whom. The arrows are the architecture: as long as they hold, a room can be read,
// tested and replaced alone. Tests keep to the rooms' arrows too, but may use any package and what stands in
// test/.

import { isBuiltin } from 'node:module';

import type { Import } from './imports.ts';
import type { Finding, Rule } from './rule.ts';
import { ROOMS, roomOf, type Room } from './rooms.ts';
import { isTest, lineAt, type Source } from './source.ts';

export const arrow: Rule = {
  name: 'arrow',
  check(file) {
    const name = roomOf(file.path);
    if (name === undefined) return strayFile(file);
    const room = ROOMS[name];
    if (room === undefined) {
      return [{ line: 1, message: `src/${name} is no known room: add it to tools/tidy/rooms.ts` }];
    }
    return complain(file, (entry) => wrongArrow(file, name, room, entry));
  },
};

export const door: Rule = {
  name: 'door',
  check: (file) =>
    complain(file, ({ specifier, target }) => {
      const behind = /^#([a-z-]+)\//.exec(specifier);
      if (behind !== null) return `'${specifier}' reaches behind a door: import '#${behind[1]}'`;
      if (!specifier.startsWith('.')) return undefined;
      const room = target === undefined ? undefined : roomOf(target);
      if (room === undefined || room === roomOf(file.path)) return undefined;
      return `'${specifier}' enters the room ${room} by path: import '#${room}'`;
    }),
};

export const ownDoor: Rule = {
  name: 'own-door',
  check: (file) =>
    complain(file, ({ specifier, target }) => {
      const room = roomOf(file.path);
      if (room === undefined || target !== `src/${room}/index.ts`) return undefined;
      return `'${specifier}' is the own room's door: import the file itself, by relative path`;
    }),
};

export const oneFastify: Rule = {
  name: 'one-fastify',
  check(file, tree) {
    const users = tree.filter((other) => other.path.startsWith('src/') && other.imports.some(isFastify));
    if (users.length < 2 || !users.includes(file)) return [];
    const others = users.filter((user) => user !== file).map((user) => user.path);
    const message = `${others.join(', ')} imports fastify too: import it, and its types, in one file of src`;
    return complain(file, (entry) => (isFastify(entry) ? message : undefined));
  },
};

function isFastify({ specifier }: Import): boolean {
  return specifier === 'fastify' || specifier.startsWith('fastify/');
}

function strayFile({ path, imports }: Source): Finding[] {
  if (!path.startsWith('src/') || imports.length === 0) return [];
  return [{ line: 1, message: 'a file of src stands in a room: move it into the folder it belongs to' }];
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
    return room.node ? undefined : `${name} runs without Node: do without '${specifier}'`;
  }
  const used = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0];
  if (room.packages === undefined || room.packages.some((allowed) => allowed === used)) return undefined;
  return `${name} may import ${room.packages.join(', ') || 'no package'}: do without '${specifier}'`;
}

function wrongTarget(file: Source, name: string, room: Room, target: string): string | undefined {
  const other = roomOf(target);
  if (other === undefined) {
    const isOutside = /^(?:test|tools|bench)\//.test(target) && !isTest(file.path);
    return isOutside ? `src does not know ${target}: move what it needs into src` : undefined;
  }
  if (other === name || room.rooms.includes(other)) return undefined;
  const allowed = room.rooms.map((allowedRoom) => `#${allowedRoom}`).join(', ') || 'no other room';
  return `no arrow ${name} -> ${other}: ${name} may import ${allowed}`;
}

function complain(file: Source, judge: (entry: Import) => string | undefined): Finding[] {
  return file.imports.flatMap((entry) => {
    const message = judge(entry);
    return message === undefined ? [] : [{ line: lineAt(file.text, entry.offset), message }];
  });
}
