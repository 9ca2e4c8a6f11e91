// Creates and replaces items (POST and PUT), the same for all kinds of entities. Each request is one change
// and reads its items inside it, because another request may have changed them since. What differs between
// the kinds is passed in.

import { fail, type ErrorName, type Failure } from '#contract';
import { type Change, type ChangeScope, writeFailure } from '#store/database';
import { actorOf, type Caller } from '../auth/caller.ts';
import { entityReplies, type CommonFields, type EntityKind } from './entity-replies.ts';
import { mayChange } from './etag.ts';
import { duplicate, type Processed, type Warnings } from './processed.ts';

interface Creation<New, Item, F extends ErrorName> {
  readonly items: readonly New[];
  /** The first name as it was sent, if it is stored in another form. */
  readonly sent?: string | undefined;
  /** Why none of them may be created; checked inside the change. */
  readonly refused: (scope: ChangeScope) => Promise<Failure<F> | undefined>;
  /** Undefined when the item already exists. */
  readonly insert?: (scope: ChangeScope, item: New) => Promise<Item | undefined>;
  readonly warnings?: Warnings;
}

interface Replacement<New, Item, F extends ErrorName, G extends ErrorName> {
  /** Undefined when a new item is to be created. */
  readonly find: (scope: ChangeScope) => Promise<Item | Failure<F> | undefined>;
  readonly wanted: (scope: ChangeScope, before: Item | undefined) => Promise<New | Failure<G>>;
  /** The name as it was sent, if it is stored in another form. */
  readonly sent?: string;
  readonly warnings?: Warnings;
}

export function newItems<New extends CommonFields, Item extends New, Body extends object>(
  kind: EntityKind<New, Item, Body>,
  change: Change,
) {
  const { nameOf, created, stored, taken, stateOf } = entityReplies(kind);
  const { insert: insertNew, update } = kind.table;
  return {
    /** A success if at least one item was created; a failure if all of them already exist. */
    create: async <F extends ErrorName = never>(
      { caller }: { readonly caller: Caller | undefined },
      { items, sent, refused, insert = insertNew, warnings = {} }: Creation<New, Item, F>,
    ) => {
      const outcome = await change(actorOf(caller), async (scope) => {
        const failure = await refused(scope);
        return failure ?? insertEach(items, nameOf, kind.taken, (item) => insert(scope, item));
      });
      if (!outcome.ok) return writeFailure(outcome);
      if ('failure' in outcome.value) return outcome.value;
      const { made, processed } = outcome.value;
      const [first, ...others] = made;
      if (first !== undefined) return created([first, ...others], { ...processed, ...warnings });
      return allTaken(kind, items, sent, processed);
    },
    put: async <F extends ErrorName = never, G extends ErrorName = never>(
      { caller, ifMatch }: { readonly caller: Caller | undefined; readonly ifMatch: string | undefined },
      { find, wanted, sent, warnings }: Replacement<New, Item, F, G>,
    ) => {
      const outcome = await change(actorOf(caller), async (scope) => {
        const before = await find(scope);
        if (before !== undefined && 'failure' in before) return before;
        if (!mayChange(ifMatch, before && stateOf(before))) return fail('preconditionFailed');
        const item = await wanted(scope, before);
        if ('failure' in item) return item;
        const written =
          before === undefined ? await insertNew(scope, item) : await update(scope, before, item);
        return written ?? taken(item, sent);
      });
      if (!outcome.ok) return writeFailure(outcome);
      if ('failure' in outcome.value) return outcome.value;
      return stored(outcome.value, warnings);
    },
  };
}

async function insertEach<New, Item>(
  items: readonly New[],
  nameOf: (item: New) => string,
  taken: string,
  insert: (item: New) => Promise<Item | undefined>,
): Promise<{ readonly made: readonly Item[]; readonly processed: Processed }> {
  const processed: Processed = { success: [], errors: [] };
  const made: Item[] = [];
  for (const one of items) {
    const item = nameOf(one);
    const stored = await insert(one);
    if (stored === undefined) processed.errors.push({ item, error: taken });
    else processed.success.push({ item });
    if (stored !== undefined) made.push(stored);
  }
  return { made, processed };
}

/** The hint has the first name as it was sent, as the specification requires. */
function allTaken<New extends CommonFields>(
  { name, taken }: { readonly name: keyof New; readonly taken: string },
  [first]: readonly New[],
  sent: string | undefined,
  processed: Processed,
) {
  return duplicate(sent ?? String(first?.[name]), first?.enabled ?? true, taken, processed);
}
