// Finds an array that is longer than its schema allows, without reading its elements: the validator checks
// all elements first, and a hundred thousand of them would block every other request.

import type { TSchema } from 'typebox';

export interface OversizedArray {
  /** The path of names to the array, outermost first. */
  readonly names: readonly string[];
  readonly most: number;
}

export function tooManyItems(schema: TSchema, value: unknown): OversizedArray | undefined {
  if (Array.isArray(value)) return inArray(arraySchemas(schema), value);
  if (typeof value !== 'object' || value === null || !('properties' in schema)) return undefined;
  for (const [name, inner] of Object.entries(Object(schema.properties))) {
    // The properties of a schema are schemas.
    const found = tooManyItems(inner as TSchema, Reflect.get(value, name));
    if (found !== undefined) return within(name, found);
  }
  return undefined;
}

/** If the schema allows several kinds of arrays, the highest limit counts. */
function inArray(schemas: readonly ArraySchema[], items: readonly unknown[]): OversizedArray | undefined {
  const most = Math.max(...schemas.map(({ maxItems = Infinity }) => maxItems));
  if (schemas.length === 0 || most === Infinity) return undefined;
  if (items.length > most) return { names: [], most };
  for (const [index, item] of items.entries())
    for (const { items: inner } of schemas) {
      const found = inner === undefined ? undefined : tooManyItems(inner, item);
      if (found !== undefined) return within(String(index), found);
    }
  return undefined;
}

function within(name: string, { names, most }: OversizedArray): OversizedArray {
  return { names: [name, ...names], most };
}

interface ArraySchema {
  readonly maxItems?: number;
  readonly items?: TSchema;
}

function arraySchemas(schema: TSchema): readonly ArraySchema[] {
  const kinds: readonly TSchema[] =
    'anyOf' in schema && Array.isArray(schema.anyOf) ? schema.anyOf : [schema];
  return kinds.filter((kind): kind is TSchema & ArraySchema => 'type' in kind && kind.type === 'array');
}
