// Applies a patch to an item: an object is a JSON Merge Patch (RFC 7396), an array a JSON Patch (RFC 6902).
// Items are small, so a patch changes a copy and is applied completely or not at all. The result is checked
// like the body of a PUT.

import { isDeepStrictEqual } from 'node:util';
import { fail, type Failure } from '#contract';

type Json = unknown;
type Container = Record<string, Json> | Json[];

export interface Operation {
  readonly op: 'add' | 'remove' | 'replace' | 'test' | 'move' | 'copy';
  readonly path: string;
  readonly from?: string;
  readonly value?: Json;
}

export type Patched =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly problem: string };

/** Characters of JSON, limited because each copy operation could double the item. */
const maxSize = 262_144;

export function applyPatch(item: object, patch: object | readonly Operation[]): Patched {
  return Array.isArray(patch)
    ? applyOperations(item, patch)
    : { ok: true, value: merge(structuredClone(item), patch) };
}

/** RFC 7396 section 2: null removes, objects are merged, other values replace. */
function merge(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: Record<string, Json> = isObject(target) ? target : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else put(result, name, merge(Object.hasOwn(result, name) ? result[name] : undefined, value));
  }
  return result;
}

/** Also works for `__proto__`, where an assignment would set the prototype. */
function put(object: Record<string, Json>, name: string, value: Json): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

function applyOperations(item: object, operations: readonly Operation[]): Patched {
  let document: Json = structuredClone(item);
  for (const [index, operation] of operations.entries()) {
    try {
      document = applyOne(document, operation);
      if (JSON.stringify(document).length > maxSize) throw new PatchError('the item would become too large');
    } catch (error) {
      if (!(error instanceof PatchError)) throw error;
      return {
        ok: false,
        problem: `operation ${index} (${operation.op} ${operation.path}): ${error.message}`,
      };
    }
  }
  return { ok: true, value: document };
}

/** An expected failure deep in the recursion; it is caught in this file. */
class PatchError extends Error {}

function applyOne(document: Json, operation: Operation): Json {
  const { path } = operation;
  switch (operation.op) {
    case 'add':
      return add(document, path, given(operation));
    case 'replace':
      return add(remove(document, path), path, given(operation));
    case 'remove':
      return remove(document, path);
    case 'test':
      return test(document, path, given(operation));
    case 'copy':
      return add(document, path, structuredClone(read(document, source(operation))));
    case 'move':
      return move(document, source(operation), path);
  }
}

/** RFC 6902 section 4.6: the order of names does not matter. The clones have equal prototypes. */
function test(document: Json, path: string, value: Json): Json {
  const isSame = isDeepStrictEqual(structuredClone(read(document, path)), structuredClone(value));
  if (!isSame) throw new PatchError('the value differs');
  return document;
}

function move(document: Json, from: string, path: string): Json {
  const moved = read(document, from);
  return add(remove(document, from), path, moved);
}

function source({ from }: Operation): string {
  if (from === undefined || from === '') throw new PatchError('it has no from');
  return from;
}

function given(operation: Operation): Json {
  if (!('value' in operation)) throw new PatchError('it has no value');
  return operation.value;
}

/** RFC 6901: `~1` is a slash, `~0` a tilde. */
function tokens(pointer: string): string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) throw new PatchError('the path does not begin with a slash');
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function read(document: Json, pointer: string): Json {
  let node = document;
  for (const token of tokens(pointer)) node = childOf(node, token);
  return node;
}

function childOf(node: Json, token: string): Json {
  if (Array.isArray(node) && indexIn(node, token) < node.length) return node[indexIn(node, token)];
  if (isObject(node) && Object.hasOwn(node, token)) return node[token];
  throw new PatchError('there is nothing at this path');
}

function parentOf(document: Json, pointer: string): { readonly parent: Container; readonly last: string } {
  const all = tokens(pointer);
  const last = all.pop();
  if (last === undefined) throw new PatchError('the item as a whole cannot be changed');
  let node = document;
  for (const token of all) node = childOf(node, token);
  if (!isObject(node) && !Array.isArray(node)) throw new PatchError('there is nothing at this path');
  return { parent: node, last };
}

function add(document: Json, pointer: string, value: Json): Json {
  const { parent, last } = parentOf(document, pointer);
  if (Array.isArray(parent)) {
    const index = last === '-' ? parent.length : indexIn(parent, last);
    parent.splice(index, 0, value);
  } else put(parent, last, value);
  return document;
}

function remove(document: Json, pointer: string): Json {
  const { parent, last } = parentOf(document, pointer);
  childOf(parent, last);
  if (Array.isArray(parent)) parent.splice(indexIn(parent, last), 1);
  else delete parent[last];
  return document;
}

function indexIn(list: readonly Json[], token: string): number {
  const index = /^(0|[1-9]\d{0,6})$/.test(token) ? Number(token) : -1;
  if (index < 0 || index > list.length) throw new PatchError(`there is no place ${token} in the list`);
  return index;
}

function isObject(value: Json): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields after a patch, checked like the body of a PUT. `defaults` has all fields that it may set. */
export function patchedFields<Fields extends object>(
  defaults: Fields,
  check: (fields: unknown) => string | undefined,
  before: Fields,
  patch: object,
): Fields | Failure<'invalidPatch'> {
  const names = new Set(Object.keys(defaults));
  const fields = Object.fromEntries(Object.entries(before).filter(([name]) => names.has(name)));
  const patched = applyPatch(fields, patch);
  if (!patched.ok) return fail('invalidPatch', patched.problem);
  const problem = check(patched.value);
  if (problem !== undefined) return fail('invalidPatch', problem);
  // Checked above against the schema of a PUT.
  return { ...defaults, ...(patched.value as Partial<Fields>) };
}

/** Names in a merge patch that the item does not have; a JSON Patch with such names fails instead. */
export function unknownNames(patch: object, known: readonly string[]): readonly string[] {
  return Array.isArray(patch)
    ? []
    : Object.keys(patch).filter((name) => !known.includes(name) && name !== 'sid');
}
