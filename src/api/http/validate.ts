// Checks what a request carries against the endpoint's declaration. Validators are compiled when an endpoint
// is first used: compiling all of them at start would cost more than the whole rest of it. Query parameters
// arrive as text and are read by the declared type; their names are not case-sensitive, and the first of
// several counts. Body fields are never converted: a number is not a text.

import type { TObject, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import { fail, limits, mostKey, type Endpoint, type Failure } from '#contract';
import { isStorableText, type ParsedJson } from './json.ts';
import { tooManyItems } from './too-many-items.ts';

interface RawInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: ParsedJson | undefined;
}

export interface CheckedInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  /** Top-level fields of the body that the endpoint does not know. */
  readonly ignored: readonly string[];
}

interface Problem {
  /** The field of the body, or the parameter, in which it is. */
  readonly field: string;
  /** Where exactly. */
  readonly place: string;
  readonly text: string;
  /** Not of the kind that is asked for, or empty. */
  readonly isUnusable: boolean;
}
type Check = (value: unknown) => Problem | undefined;

export type Validator = (raw: RawInput) => CheckedInput | Failure;

const none: readonly string[] = [];
const empty = Object.freeze({});

export const createValidator = (declared: Endpoint): Validator => {
  const checkParams = declared.params && lazily(declared.params);
  const checkQuery = declared.query && lazily(declared.query);
  const checkBody = declared.body && lazily(declared.body);
  return (raw) => {
    const params = declared.params === undefined ? empty : readParams(declared.params, raw.params);
    const query = declared.query === undefined ? empty : readQuery(declared.query, raw.query);
    const problem = checkParams && paramsProblem(raw.params, params, checkParams);
    if (problem !== undefined) return fail('invalidParameter', wordsOf(problem));
    const absent = missingParameter(declared, query);
    if (absent !== undefined) return absent;
    const queryProblem = checkQuery?.(query);
    if (queryProblem !== undefined) return fail('invalidParameter', wordsOf(queryProblem));
    if (checkBody === undefined) return { params, query, body: undefined, ignored: none };
    const body = readJsonBody(declared, raw.body, checkBody);
    return isFailure(body)
      ? body
      : { params, query, body: body.value, ignored: unknownFields(declared, body.value) };
  };
};

const isFailure = (value: Failure | { readonly value: unknown }): value is Failure => 'failure' in value;

const readParams = (schema: TObject, params: Readonly<Record<string, string>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(schema.properties).map(([name, property]) => [
      name,
      fromText(property, params[name] ?? ''),
    ]),
  );

const paramsProblem = (
  texts: Readonly<Record<string, string>>,
  params: unknown,
  check: Check,
): Problem | undefined => {
  const bad = Object.entries(texts).find(([, text]) => !isStorableText(text));
  return bad === undefined
    ? check(params)
    : { field: bad[0], place: bad[0], text: 'holds a NUL or is no valid text', isUnusable: true };
};

const readJsonBody = (
  declared: Endpoint,
  parsed: ParsedJson | undefined,
  check: Check,
): { readonly value: unknown } | Failure => {
  if (parsed === undefined) return declared.optionalBody === true ? { value: {} } : fail('noBody');
  if (!parsed.ok) return fail('invalidBody', parsed.problem);
  if (isObjectSchema(declared.body)) {
    if (!isPlainObject(parsed.value)) return fail('invalidBody', 'The body must be a JSON object.');
    const missing = missingField(declared, declared.body, parsed.value);
    if (missing !== undefined) return missing;
  }
  const problem = check(parsed.value);
  return problem === undefined ? { value: parsed.value } : fieldFailure(declared, problem);
};

/** Some fields have an error of their own for what is not of the right kind. */
const fieldFailure = (declared: Endpoint, problem: Problem): Failure => {
  const named = problem.isUnusable ? declared.fieldErrors?.[problem.field] : undefined;
  return named === undefined ? fail('invalidField', wordsOf(problem)) : fail(named.wrong, named.hint ?? null);
};

const missingField = (declared: Endpoint, schema: TObject, body: object): Failure | undefined => {
  const missing = requiredOf(schema).find((name) => !Object.hasOwn(body, name));
  if (missing === undefined) return undefined;
  const named = declared.fieldErrors?.[missing]?.missing;
  return named === undefined ? fail('invalidField', `${missing}: is missing`) : fail(named);
};

const missingParameter = (declared: Endpoint, query: object): Failure | undefined => {
  if (declared.query === undefined) return undefined;
  const missing = requiredOf(declared.query).find((name) => !Object.hasOwn(query, name));
  if (missing === undefined) return undefined;
  const named = declared.fieldErrors?.[missing]?.missing;
  return named === undefined ? fail('invalidParameter', `${missing}: is missing`) : fail(named);
};

const requiredOf = (schema: TObject): readonly string[] => schema.required ?? none;

/** `sid` may come in any body: it says who asks. */
const unknownFields = (declared: Endpoint, body: unknown): readonly string[] => {
  if (!isObjectSchema(declared.body) || !isPlainObject(body)) return none;
  const known = declared.body.properties;
  const unknown = Object.keys(body).filter((name) => !Object.hasOwn(known, name) && name !== 'sid');
  return unknown.length === 0 ? none : unknown.slice(0, limits.ignoredNames);
};

const readQuery = (schema: TObject, query: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const result: Record<string, unknown> = {};
  const given = new Map<string, unknown>();
  for (const [name, value] of Object.entries(query)) {
    if (!given.has(name.toLowerCase()))
      given.set(name.toLowerCase(), Array.isArray(value) ? value[0] : value);
  }
  for (const [name, property] of Object.entries(schema.properties)) {
    const text = given.get(name.toLowerCase());
    // Forms send what was not filled in as well.
    if (typeof text === 'string' && text !== '') result[name] = atMost(property, fromText(property, text));
  }
  return result;
};

const fromText = (schema: TSchema, text: string): unknown => {
  const type = 'type' in schema ? schema.type : undefined;
  if (type === 'boolean') return booleans.get(text.toLowerCase()) ?? text;
  if (type !== 'integer' && type !== 'number') return text;
  return (type === 'integer' ? plainNumber : anyNumber).test(text) ? Number(text) : text;
};

/** Some parameters ask for so many at the most, and get as many as there may be. */
const atMost = (schema: TSchema, value: unknown): unknown => {
  const most = mostKey in schema ? schema[mostKey] : undefined;
  return typeof most === 'number' && typeof value === 'number' ? Math.min(value, most) : value;
};

const plainNumber = /^-?\d+(\.\d+)?$/;
/** As programs write very small and very large ones. */
const anyNumber = /^-?\d+(\.\d+)?(e[+-]?\d{1,3})?$/i;

const booleans = new Map([
  ['true', true],
  ['false', false],
]);

/** What is wrong with a value, in words; for values that do not come as a body of their own. */
export const createCheck = (schema: TSchema): ((value: unknown) => string | undefined) => {
  const check = lazily(schema);
  return (value) => {
    const problem = check(value);
    return problem === undefined ? undefined : wordsOf(problem);
  };
};

const unusable = new Set(['type', 'anyOf', 'minLength', 'minItems']);

const lazily = (schema: TSchema): Check => {
  let compiled: ReturnType<typeof Compile> | undefined;
  return (value) => {
    const crowded = tooManyItems(schema, value);
    if (crowded !== undefined)
      return problemAt(crowded.names, `must not have more than ${crowded.most} items`, false);
    compiled ??= Compile(schema);
    if (compiled.Check(value)) return undefined;
    return problemOf(compiled.Errors(value));
  };
};

const problemOf = (errors: readonly TLocalizedValidationError[]): Problem => {
  const { told, text } = tellingError(errors);
  const names = told?.instancePath.split('/').slice(1) ?? [];
  return problemAt(names, text, unusable.has(told?.keyword ?? ''));
};

const problemAt = (names: readonly string[], text: string, isUnusable: boolean): Problem => ({
  field: names[0] ?? 'body',
  place: names.length === 0 ? 'body' : placeText(names),
  text,
  isUnusable,
});

interface Telling {
  readonly told: TLocalizedValidationError | undefined;
  readonly text: string;
}

/**
 * The first error, unless it only says that a value is not of the first of several kinds: then what is wrong
 * with it as the kind that it is, or which kinds there are.
 */
const tellingError = (errors: readonly TLocalizedValidationError[]): Telling => {
  const [first] = errors;
  const kinds = first?.keyword === 'type' ? branchesOf(errors, first.instancePath) : [];
  const isOtherKind = (error: TLocalizedValidationError): boolean =>
    error.keyword === 'type' && error.instancePath === first?.instancePath;
  const inside = kinds.find((error) => !isOtherKind(error)) ?? first;
  if (kinds.length < 2 || inside !== first) return { told: inside, text: problemText(inside) };
  const types = kinds.flatMap((error) => (error.keyword === 'type' ? [error.params.type] : []));
  return { told: first, text: `must be ${types.flat().join(' or ')}` };
};

/** What the kinds that a value could be of have against it. */
const branchesOf = (
  errors: readonly TLocalizedValidationError[],
  path: string,
): readonly TLocalizedValidationError[] =>
  errors.slice(
    0,
    Math.max(
      0,
      errors.findIndex(({ keyword, instancePath }) => keyword === 'anyOf' && instancePath === path),
    ),
  );

/** In the words of the validator, which names no values. */
const problemText = (error: TLocalizedValidationError | undefined): string =>
  error?.keyword === 'enum'
    ? `must be one of ${error.params.allowedValues.join(', ')}`
    : (error?.message ?? 'is not allowed');

/** As programs write it: `rules[0].kind`. */
const placeText = (names: readonly string[]): string =>
  names
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((name) => (/^\d+$/u.test(name) ? `[${name}]` : `.${name}`))
    .join('')
    .replace(/^\./u, '');

const wordsOf = ({ place, text }: Problem): string => `${place}: ${text}`;

const isObjectSchema = (schema: TSchema | undefined): schema is TObject =>
  schema !== undefined && 'properties' in schema;

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
