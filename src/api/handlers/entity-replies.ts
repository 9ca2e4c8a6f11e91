// The replies about one item of an entity, the same for all kinds. A kind is a row of data and functions: the
// row of the contract, its table in the database, and how replies show its items.

import type { ChangeScope } from '#store/database';
import { etagOf } from './etag.ts';
import { duplicate, processedOf, type Processed, type Warnings } from './processed.ts';

/** All kinds have a comment; one without `enabled` counts as enabled. */
export interface CommonFields {
  readonly comment: string | null;
  readonly enabled?: boolean;
}

/** `New` is an item as a request describes it, `Item` as it is stored, `Body` as a reply contains it. */
export interface EntityKind<New extends CommonFields, Item extends New, Body extends object> {
  readonly path: string;
  readonly key: readonly (keyof New & string)[];
  readonly name: keyof New & string;
  readonly taken: string;
  readonly table: {
    readonly insert: (scope: ChangeScope, item: New) => Promise<Item | undefined>;
    readonly update: (scope: ChangeScope, before: Item, item: New) => Promise<Item | undefined>;
    readonly remove: (scope: ChangeScope, item: Item) => Promise<void>;
  };
  /** The collection with these items. */
  readonly bodyOf: (items: readonly Item[]) => Body;
  /** The name in replies, for names that may contain a secret. */
  readonly maskedName?: (item: New) => string;
  /** The path of an item, if it is not the path of the kind and the key. */
  readonly locationOf?: (item: Item) => string | undefined;
  /** The part of an item that users set; all of it by default. */
  readonly stateOf?: (item: Item) => object;
  /** Whether replies show more than the stored item, such as the state of a schedule. */
  readonly hasDerivedFields?: true;
}

/** HTTP clients limit headers, Node's `fetch` to 16 KiB; a long expression percent-encoded exceeds that. */
const maxLocationLength = 8_000;

export function entityReplies<New extends CommonFields, Item extends New, Body extends object>({
  path,
  key,
  name,
  taken,
  bodyOf,
  maskedName,
  locationOf = (item) => shortPath([path, ...key.map((field) => String(item[field]))]),
  stateOf = (item) => item,
  hasDerivedFields,
}: EntityKind<New, Item, Body>) {
  const sentName = (item: New) => String(item[name]);
  const nameOf = maskedName ?? sentName;
  function tagOf(item: Item): string {
    return etagOf(stateOf(item), hasDerivedFields && bodyOf([item]));
  }
  function headersOf(item: Item) {
    const location = locationOf(item);
    return { ...(location !== undefined && { location }), etag: tagOf(item) };
  }
  return {
    found: (item: Item) => ({
      status: 200 as const,
      body: bodyOf([item]),
      headers: { etag: tagOf(item) },
    }),
    stored: (item: Item, warnings: Warnings = {}) => ({
      status: 200 as const,
      body: { ...bodyOf([item]), processed: { ...processedOf(nameOf(item)), ...warnings } },
      headers: headersOf(item),
    }),
    /** The headers are those of the last item. */
    created: (items: readonly [Item, ...Item[]], processed: Processed) => ({
      status: 201 as const,
      body: { ...bodyOf(items), processed },
      headers: headersOf(items.at(-1) ?? items[0]),
    }),
    nameOf,
    stateOf,
    /** The hint has the name as it was sent, as the specification requires: its sender knows it. */
    taken: (item: New, sent: string = sentName(item)) => {
      const shown = maskedName === undefined ? sent : maskedName(item);
      const processed = { success: [], errors: [{ item: shown, error: taken }] };
      return duplicate(sent, item.enabled ?? true, taken, processed);
    },
  };
}

function shortPath([path, ...names]: readonly string[]): string | undefined {
  const text = [path, ...names.map(encodeURIComponent)].join('/');
  return text.length <= maxLocationLength ? text : undefined;
}
