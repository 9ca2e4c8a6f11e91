// Patches and removes items (PATCH, DELETE and batch deletes), the same for all kinds of entities. Each
// request is one change and reads its items inside it, because another request may have changed them since.
// What differs between the kinds is passed in.

import { fail, type ErrorName, type Failure } from '#contract';
import { type Change, type ChangeScope, writeFailure } from '#store/database';
import { actorOf, type Caller } from '../auth/caller.ts';
import { entityReplies, type CommonFields, type EntityKind } from './entity-replies.ts';
import { mayChange } from './etag.ts';
import { unknownNames } from './patch.ts';

interface ConditionalRequest {
  readonly caller: Caller | undefined;
  readonly ifMatch: string | undefined;
}

interface Patching<Item, F extends ErrorName, G extends ErrorName> {
  readonly find: (scope: ChangeScope) => Promise<Item | Failure<F>>;
  readonly write: (scope: ChangeScope, before: Item) => Promise<Item | Failure<G>>;
  /** The fields that a patch may change. */
  readonly known: readonly string[];
}

interface Batch<Sent> {
  readonly caller: Caller | undefined;
  readonly body: readonly Sent[];
}

export function existingItems<
  New extends CommonFields,
  Item extends New & { readonly id: number },
  Body extends object,
>(kind: EntityKind<New, Item, Body>, change: Change) {
  const { stored, stateOf } = entityReplies(kind);
  const items = { change, stateOf };
  const { remove } = kind.table;
  return {
    patch: async <F extends ErrorName = never, G extends ErrorName = never>(
      { body, ...request }: ConditionalRequest & { readonly body: object },
      { find, write, known }: Patching<Item, F, G>,
    ) => {
      const result = await changeItem(items, request, find, write);
      if ('failure' in result) return result;
      return { ...stored(result), ignored: unknownNames(body, known) };
    },
    remove: async <F extends ErrorName = never>(
      request: ConditionalRequest,
      find: (scope: ChangeScope) => Promise<Item | Failure<F>>,
    ) => {
      const result = await changeItem(items, request, find, async (scope, item) => {
        await remove(scope, item);
        return item;
      });
      if ('failure' in result) return result;
      return { status: 204 as const };
    },
    /** Items that do not exist are skipped; a failure refuses the whole batch. */
    removeAll: async <Sent, F extends ErrorName = never>(
      { caller, body }: Batch<Sent>,
      find: (scope: ChangeScope, sent: Sent) => Promise<Item | Failure<F> | undefined>,
    ) => {
      const outcome = await change(actorOf(caller), async (scope) => {
        const named = new Map<number, Item>();
        for (const sent of body) {
          const found = await find(scope, sent);
          if (found === undefined) continue;
          if ('failure' in found) return found;
          named.set(found.id, found);
        }
        for (const item of named.values()) await remove(scope, item);
        return named.size === 0 ? fail('notFound', 'None of the items is there.') : { status: 204 as const };
      });
      return outcome.ok ? outcome.value : writeFailure(outcome);
    },
  };
}

/** Reads one item inside a change, and changes it unless If-Match names another state. */
async function changeItem<Item extends object, F extends ErrorName, G extends ErrorName = never>(
  { change, stateOf }: { readonly change: Change; readonly stateOf: (item: Item) => object },
  { caller, ifMatch }: ConditionalRequest,
  find: (scope: ChangeScope) => Promise<Item | Failure<F>>,
  work: (scope: ChangeScope, item: Item) => Promise<Item | Failure<G>>,
) {
  const outcome = await change(actorOf(caller), async (scope) => {
    const found = await find(scope);
    if ('failure' in found) return found;
    return mayChange(ifMatch, stateOf(found)) ? work(scope, found) : fail('preconditionFailed');
  });
  return outcome.ok ? outcome.value : writeFailure(outcome);
}
