// Changes one stored item, as all kinds of entities do: read it inside the change, because another request
// may have changed it since; refuse the change if the item does not exist or If-Match names another state;
// then write. What differs between the kinds is passed in.

import { fail, type Failure, type WriteFailure } from '#contract';
import { type ChangeScope, type Storage, writeFailure } from '#store/database';
import { actorOf, type Caller } from '../auth/caller.ts';
import { mayChange } from './etag.ts';
import { applyPatch } from './patch.ts';

interface ConditionalRequest {
  readonly caller: Caller | undefined;
  readonly ifMatch: string | undefined;
}

interface AnyFailure {
  readonly failure: unknown;
}

/** `Found` is the item or the failure that says why there is none. */
interface StoredItem<Found extends object> extends Pick<Storage, 'change'> {
  /** Reads the item inside the change. */
  readonly find: (scope: ChangeScope) => Promise<Found>;
  /** The part of the item that the entity tag covers; all of it by default. */
  readonly stateOf?: (item: Exclude<Found, AnyFailure>) => object;
}

type Refused<Found> = Extract<Found, AnyFailure> | Failure<'preconditionFailed' | WriteFailure>;

export async function changeItem<Found extends object, Result>(
  { change, find, stateOf = (item) => item }: StoredItem<Found>,
  { caller, ifMatch }: ConditionalRequest,
  work: (scope: ChangeScope, found: Exclude<Found, AnyFailure>) => Promise<Result>,
): Promise<Result | Refused<Found>> {
  const outcome = await change(actorOf(caller), async (scope) => {
    // An item is no promise, so that this is what the promise resolves to.
    const found = (await find(scope)) as Found;
    if (!isItem(found)) return found as Extract<Found, AnyFailure>; // The other half of the union.
    if (!mayChange(ifMatch, stateOf(found))) return fail('preconditionFailed');
    return work(scope, found);
  });
  return outcome.ok ? outcome.value : writeFailure(outcome);
}

/** The reply to a DELETE of one item. */
export async function removeItem<Found extends object>(
  item: StoredItem<Found>,
  request: ConditionalRequest,
  remove: (scope: ChangeScope, found: Exclude<Found, AnyFailure>) => Promise<void>,
): Promise<{ readonly status: 204 } | Refused<Found>> {
  const failure = await changeItem(item, request, async (scope, found) => {
    await remove(scope, found);
    return undefined;
  });
  return failure ?? { status: 204 };
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

function isItem<Found extends object>(found: Found): found is Exclude<Found, AnyFailure> {
  return !('failure' in found);
}
