// Finds an array that is longer than its schema allows, before anything looks at what is in it: the validator
// goes through all elements first, and a hundred thousand of them would hold up every other request.

import type { TSchema } from 'typebox';

export interface Crowded {
  /** The names on the way to the array, from the outside in. */
  readonly names: readonly string[];
  readonly most: number;
}

export function tooManyItems(schema: TSchema, value: unknown): Crowded | undefined {
  if (Array.isArray(value)) return inArray(arraySchemas(schema), value);
  if (typeof value !== 'object' || value === null || !('properties' in schema)) return undefined;
  for (const [name, inner] of Object.entries(Object(schema.properties))) {
    // The properties of a schema are schemas.
    const found = tooManyItems(inner as TSchema, Reflect.get(value, name));
    if (found !== undefined) return within(name, found);
  }
  return undefined;
}

/** Of several kinds of arrays the longest one counts. */
function inArray(schemas: readonly ArraySchema[], items: readonly unknown[]): Crowded | undefined {
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

const within = (name: string, { names, most }: Crowded): Crowded => ({ names: [name, ...names], most });

interface ArraySchema {
  readonly maxItems?: number;
  readonly items?: TSchema;
}

function arraySchemas(schema: TSchema): readonly ArraySchema[] {
  const kinds: readonly TSchema[] =
    'anyOf' in schema && Array.isArray(schema.anyOf) ? schema.anyOf : [schema];
  return kinds.filter((kind): kind is TSchema & ArraySchema => 'type' in kind && kind.type === 'array');
}
