// Random values generated from JSON Schemas: values that a schema allows, and values that it probably does
// not. It knows the part of JSON Schema that API descriptions use, and generates any JSON value for the rest.
// Texts and arrays are short, because other tests check their limits and every value here becomes a request.

import * as fc from 'fast-check';

import { at } from './reply.ts';

export type Schema = unknown;
/** Resolves a `$ref`. */
export type Resolve = (ref: string) => Schema;

const maxTextLength = 40;
const maxArrayLength = 5;

/** Characters of any script, also unprintable ones, but no lone surrogates. */
const anyText = fc.string({ unit: 'binary', maxLength: maxTextLength });
const niceText = anyText.map((text) => text.replaceAll(/\p{Cc}/gu, ''));
export const anyJson = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' });
/** Without NUL, which JSON Schema cannot forbid and every endpoint refuses. */
export const niceJson = fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme' });

/** Values that the schema allows. */
export const fitting = (schema: Schema, resolve: Resolve): fc.Arbitrary<unknown> => {
  const ref = at(schema, '$ref');
  if (typeof ref === 'string') return fitting(resolve(ref), resolve);
  const made = byKeyword(schema, resolve) ?? byType(schema, resolve);
  const examples = at(schema, 'examples');
  return Array.isArray(examples) ? fc.oneof(made, fc.constantFrom(...examples)) : made;
};

const byKeyword = (schema: Schema, resolve: Resolve): fc.Arbitrary<unknown> | undefined => {
  const [constant, choices] = [at(schema, 'const'), at(schema, 'enum')];
  const branches = at(schema, 'anyOf') ?? at(schema, 'oneOf');
  if (constant !== undefined) return fc.constant(constant);
  if (Array.isArray(choices)) return fc.constantFrom(...choices);
  return Array.isArray(branches)
    ? fc.oneof(...branches.map((branch: Schema) => fitting(branch, resolve)))
    : undefined;
};

const byType = (schema: Schema, resolve: Resolve): fc.Arbitrary<unknown> => {
  const number = (name: string, otherwise: number): number => Number(at(schema, name) ?? otherwise);
  switch (at(schema, 'type')) {
    case 'string':
      return typeof at(schema, 'pattern') === 'string'
        ? fc.stringMatching(new RegExp(String(at(schema, 'pattern')), 'u'))
        : texts(number('minLength', 0), Math.min(number('maxLength', maxTextLength), maxTextLength));
    case 'integer':
      return fc.integer({ min: number('minimum', -1_000_000), max: number('maximum', 1_000_000) });
    case 'number':
      return fc.double({ min: number('minimum', -1e6), max: number('maximum', 1e6), noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(fitting(at(schema, 'items') ?? {}, resolve), {
        minLength: number('minItems', 0),
        maxLength: Math.min(number('maxItems', maxArrayLength), maxArrayLength),
      });
    case 'object':
      return objects(schema, resolve);
    default:
      return niceJson;
  }
};

const texts = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  niceText.map((text) => [...text.padEnd(minLength, 'x')].slice(0, maxLength).join(''));

const objects = (schema: Schema, resolve: Resolve): fc.Arbitrary<unknown> => {
  const properties = Object.entries(Object(at(schema, 'properties') ?? {}));
  const required = at(schema, 'required');
  const known = fc.record(
    Object.fromEntries(properties.map(([name, property]) => [name, fitting(property, resolve)])),
    { requiredKeys: Array.isArray(required) ? required.map(String) : [] },
  );
  if (at(schema, 'additionalProperties') === false) return known;
  const extra = fc.dictionary(niceText, niceJson, { maxKeys: 2 });
  return fc.tuple(extra, known).map(([others, own]) => ({ ...others, ...own }));
};

/** Almost what the schema allows (a field missing or of another type), or something entirely different. */
export const nearby = (schema: Schema, resolve: Resolve): fc.Arbitrary<unknown> => {
  const edits = fc.array(fc.tuple(fc.nat(), fc.option(anyJson, { nil: undefined })), {
    minLength: 1,
    maxLength: 3,
  });
  const edited = fc
    .tuple(fitting(schema, resolve), edits)
    .map(([value, all]) =>
      all.reduce<unknown>((changed, [place, replacement]) => edit(changed, place, replacement), value),
    );
  return fc.oneof({ weight: 3, arbitrary: edited }, { weight: 1, arbitrary: anyJson });
};

/** Replaces the value of one field, or removes the field. */
const edit = (value: unknown, place: number, replacement: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return replacement ?? null;
  const names = Object.keys(value);
  const name = names[place % Math.max(1, names.length)];
  if (name === undefined) return replacement ?? value;
  const others = Object.entries(value).filter(([key]) => key !== name);
  if (replacement === undefined) return Object.fromEntries(others);
  return { ...Object.fromEntries(others), [name]: replacement };
};
