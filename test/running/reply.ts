// A reply as tests see it, and the checks that hold for every reply of the API: UTF-8 JSON with `took`, and
// an error object for failures. The checks are written from the documentation and share no code with the
// service.

import assert from 'node:assert/strict';

export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  readonly bytes: Buffer;
  /** The text parsed as JSON; undefined when it is not JSON. */
  readonly body: unknown;
};

export type WantedError = {
  readonly status: number;
  readonly key?: string;
  readonly message?: string;
  readonly hint?: unknown;
};

export const makeReply = (
  status: number,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  bytes: Buffer,
): Reply => {
  const text = bytes.toString('utf8');
  const flat = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    Array.isArray(value) ? value.join(', ') : value,
  ]);
  return { status, headers: Object.fromEntries(flat), text, bytes, body: parse(text) };
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The value at a path of keys in a value of unknown shape; undefined when a key is missing. */
export const at = (value: unknown, ...path: readonly (string | number)[]): unknown => {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = new Map(Object.entries(found)).get(String(key));
  }
  return found;
};

/** The elements of the array at a path; fails if there is no array. */
export const listAt = (value: unknown, ...path: readonly (string | number)[]): readonly unknown[] => {
  const found = at(value, ...path);
  assert.ok(Array.isArray(found), `${path.join('.')} is not an array in ${JSON.stringify(value)}`);
  return found;
};

/** UTF-8 JSON, an object, with `took` in seconds. */
export const assertEnvelope = (reply: Reply): void => {
  assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8', describe(reply));
  const took = at(reply.body, 'took');
  assert.ok(Number.isFinite(took) && Number(took) >= 0, `took is ${String(took)}: ${describe(reply)}`);
};

/** The error object with exactly three fields, and the wanted values in them. */
export const assertError = (reply: Reply, wanted: WantedError): void => {
  assert.equal(reply.status, wanted.status, describe(reply));
  assertEnvelope(reply);
  const error = at(reply.body, 'error');
  assert.ok(typeof error === 'object' && error !== null, describe(reply));
  assert.deepEqual(Object.keys(error).toSorted(), ['hint', 'key', 'message'], describe(reply));
  for (const name of ['key', 'message'] as const) {
    assert.ok(typeof at(error, name) === 'string' && at(error, name) !== '', describe(reply));
    if (wanted[name] !== undefined) assert.equal(at(error, name), wanted[name], describe(reply));
  }
  if (wanted.hint instanceof RegExp) assert.match(String(at(error, 'hint')), wanted.hint);
  else if (wanted.hint !== undefined) assert.deepEqual(at(error, 'hint'), wanted.hint, describe(reply));
};

export const describe = (reply: Reply): string =>
  `${reply.status} ${JSON.stringify(reply.headers)} ${reply.text.slice(0, 500)}`;
