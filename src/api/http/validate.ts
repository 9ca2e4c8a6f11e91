// Checks the input of a request against the declaration of its endpoint. Validators are compiled at the first
// request to an endpoint: compiling all of them at start would take longer than the rest of the start. Query
// parameters arrive as text and are converted to the declared type; their names are not case-sensitive, and
// the first of several values counts. Body fields are never converted: a number is not a text.

import type { TObject, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import { fail, limits, maxKey, type Endpoint, type Failure } from '#contract';
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
  /** Top-level fields of the body that the endpoint does not declare. */
  readonly ignored: readonly string[];
}

interface Problem {
  /** The top-level field of the body, or the parameter. */
  readonly field: string;
  /** The exact path to the value. */
  readonly place: string;
  readonly text: string;
  /** The value has the wrong type, or is empty. */
  readonly isUnusable: boolean;
}
type Check = (value: unknown) => Problem | undefined;

export type Validator = (raw: RawInput) => CheckedInput | Failure;

const none: readonly string[] = [];
const empty = Object.freeze({});

export function createValidator(declared: Endpoint): Validator {
  const checkParams = declared.params && lazyCheck(declared.params);
  const checkQuery = declared.query && lazyCheck(declared.query);
  const checkBody = declared.body && lazyCheck(declared.body);
  return (raw) => {
    const params = declared.params === undefined ? empty : readParams(declared.params, raw.params);
    const query = declared.query === undefined ? empty : readQuery(declared.query, raw.query);
    const problem = checkParams && paramsProblem(raw.params, params, checkParams);
    if (problem !== undefined) return fail('invalidParameter', hintOf(problem));
    const absent = missingParameter(declared, query);
    if (absent !== undefined) return absent;
    const queryProblem = checkQuery?.(query);
    if (queryProblem !== undefined) return fail('invalidParameter', hintOf(queryProblem));
    if (checkBody === undefined) return { params, query, body: undefined, ignored: none };
    const body = readJsonBody(declared, raw.body, checkBody);
    return isFailure(body)
      ? body
      : { params, query, body: body.value, ignored: unknownFields(declared, body.value) };
  };
}

function isFailure(value: Failure | { readonly value: unknown }): value is Failure {
  return 'failure' in value;
}

function readParams(schema: TObject, params: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema.properties).map(([name, property]) => [
      name,
      fromText(property, params[name] ?? ''),
    ]),
  );
}

function paramsProblem(
  texts: Readonly<Record<string, string>>,
  params: unknown,
  check: Check,
): Problem | undefined {
  const bad = Object.entries(texts).find(([, text]) => !isStorableText(text));
  return bad === undefined
    ? check(params)
    : { field: bad[0], place: bad[0], text: 'holds a NUL or is no valid text', isUnusable: true };
}

function readJsonBody(
  declared: Endpoint,
  parsed: ParsedJson | undefined,
  check: Check,
): { readonly value: unknown } | Failure {
  if (parsed === undefined) return declared.optionalBody === true ? { value: {} } : fail('noBody');
  if (!parsed.ok) return fail('invalidBody', parsed.problem);
  if (isObjectSchema(declared.body)) {
    if (!isPlainObject(parsed.value)) return fail('invalidBody', 'The body must be a JSON object.');
    const missing = missingField(declared, declared.body, parsed.value);
    if (missing !== undefined) return missing;
  }
  const problem = check(parsed.value);
  return problem === undefined ? { value: parsed.value } : fieldFailure(declared, problem);
}

/** Some fields have a specific error for values of the wrong type. */
function fieldFailure(declared: Endpoint, problem: Problem): Failure {
  const named = problem.isUnusable ? declared.fieldErrors?.[problem.field] : undefined;
  return named === undefined ? fail('invalidField', hintOf(problem)) : fail(named.wrong, named.hint ?? null);
}

function missingField(declared: Endpoint, schema: TObject, body: object): Failure | undefined {
  const missing = requiredOf(schema).find((name) => !Object.hasOwn(body, name));
  if (missing === undefined) return undefined;
  const named = declared.fieldErrors?.[missing]?.missing;
  return named === undefined ? fail('invalidField', `${missing}: is missing`) : fail(named);
}

function missingParameter(declared: Endpoint, query: object): Failure | undefined {
  if (declared.query === undefined) return undefined;
  const missing = requiredOf(declared.query).find((name) => !Object.hasOwn(query, name));
  if (missing === undefined) return undefined;
  const named = declared.fieldErrors?.[missing]?.missing;
  return named === undefined ? fail('invalidParameter', `${missing}: is missing`) : fail(named);
}

function requiredOf(schema: TObject): readonly string[] {
  return schema.required ?? none;
}

/** `sid` is allowed in any body: it identifies the caller. */
function unknownFields(declared: Endpoint, body: unknown): readonly string[] {
  if (!isObjectSchema(declared.body) || !isPlainObject(body)) return none;
  const known = declared.body.properties;
  const unknown = Object.keys(body).filter((name) => !Object.hasOwn(known, name) && name !== 'sid');
  return unknown.length === 0 ? none : unknown.slice(0, limits.ignoredNames);
}

function readQuery(schema: TObject, query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  const given = new Map<string, unknown>();
  for (const [name, value] of Object.entries(query)) {
    if (!given.has(name.toLowerCase()))
      given.set(name.toLowerCase(), Array.isArray(value) ? value[0] : value);
  }
  for (const [name, property] of Object.entries(schema.properties)) {
    const text = given.get(name.toLowerCase());
    // HTML forms also send fields that were not filled in.
    if (typeof text === 'string' && text !== '') result[name] = limitedTo(property, fromText(property, text));
  }
  return result;
}

function fromText(schema: TSchema, text: string): unknown {
  const type = 'type' in schema ? schema.type : undefined;
  if (type === 'boolean') return booleans.get(text.toLowerCase()) ?? text;
  if (type !== 'integer' && type !== 'number') return text;
  return (type === 'integer' ? plainNumber : anyNumber).test(text) ? Number(text) : text;
}

/** Some parameters have a maximum to which higher values are reduced. */
function limitedTo(schema: TSchema, value: unknown): unknown {
  const most = maxKey in schema ? schema[maxKey] : undefined;
  return typeof most === 'number' && typeof value === 'number' ? Math.min(value, most) : value;
}

const plainNumber = /^-?\d+(\.\d+)?$/;
/** With an exponent, as programs write very small and very large numbers. */
const anyNumber = /^-?\d+(\.\d+)?(e[+-]?\d{1,3})?$/i;

const booleans = new Map([
  ['true', true],
  ['false', false],
]);

/** Creates a check that returns the problem of a value as text, for values that are not a whole body. */
export function createCheck(schema: TSchema): (value: unknown) => string | undefined {
  const check = lazyCheck(schema);
  return (value) => {
    const problem = check(value);
    return problem === undefined ? undefined : hintOf(problem);
  };
}

const unusable = new Set(['type', 'anyOf', 'minLength', 'minItems']);

function lazyCheck(schema: TSchema): Check {
  let compiled: ReturnType<typeof Compile> | undefined;
  return (value) => {
    const oversized = tooManyItems(schema, value);
    if (oversized !== undefined)
      return problemAt(oversized.names, `must not have more than ${oversized.most} items`, false);
    compiled ??= Compile(schema);
    if (compiled.Check(value)) return undefined;
    return problemOf(compiled.Errors(value));
  };
}

function problemOf(errors: readonly TLocalizedValidationError[]): Problem {
  const { error, text } = mostSpecificError(errors);
  const names = error?.instancePath.split('/').slice(1) ?? [];
  return problemAt(names, text, unusable.has(error?.keyword ?? ''));
}

function problemAt(names: readonly string[], text: string, isUnusable: boolean): Problem {
  return {
    field: names[0] ?? 'body',
    place: names.length === 0 ? 'body' : placeText(names),
    text,
    isUnusable,
  };
}

interface ChosenError {
  readonly error: TLocalizedValidationError | undefined;
  readonly text: string;
}

/**
 * Usually the first error. If a value may have several types, the first error says only that it does not have
 * the first type: then the error within its actual type is chosen, or the list of allowed types.
 */
function mostSpecificError(errors: readonly TLocalizedValidationError[]): ChosenError {
  const [first] = errors;
  const kinds = first?.keyword === 'type' ? branchesOf(errors, first.instancePath) : [];
  const isOtherKind = (error: TLocalizedValidationError): boolean =>
    error.keyword === 'type' && error.instancePath === first?.instancePath;
  const inside = kinds.find((error) => !isOtherKind(error)) ?? first;
  if (kinds.length < 2 || inside !== first) return { error: inside, text: problemText(inside) };
  const types = kinds.flatMap((error) => (error.keyword === 'type' ? [error.params.type] : []));
  return { error: first, text: `must be ${types.flat().join(' or ')}` };
}

/** The errors of the alternative types at this path. */
function branchesOf(
  errors: readonly TLocalizedValidationError[],
  path: string,
): readonly TLocalizedValidationError[] {
  return errors.slice(
    0,
    Math.max(
      0,
      errors.findIndex(({ keyword, instancePath }) => keyword === 'anyOf' && instancePath === path),
    ),
  );
}

/** The message of the validator, except for enums, where it does not list the allowed values. */
function problemText(error: TLocalizedValidationError | undefined): string {
  return error?.keyword === 'enum'
    ? `must be one of ${error.params.allowedValues.join(', ')}`
    : (error?.message ?? 'is not allowed');
}

/** The path as in code: `rules[0].kind`. */
function placeText(names: readonly string[]): string {
  return names
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((name) => (/^\d+$/u.test(name) ? `[${name}]` : `.${name}`))
    .join('')
    .replace(/^\./u, '');
}

function hintOf({ place, text }: Problem): string {
  return `${place}: ${text}`;
}

function isObjectSchema(schema: TSchema | undefined): schema is TObject {
  return schema !== undefined && 'properties' in schema;
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
