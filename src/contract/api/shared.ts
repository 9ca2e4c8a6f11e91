// Schemas that several resources share: comments, names, the results for the items of a request, and lists of
// items to delete.

import { Type, type TProperties } from 'typebox';
import { limits } from '../limits.ts';

export const Comment = Type.Union([Type.String({ maxLength: limits.commentLength }), Type.Null()], {
  description: 'Free text; an empty one is stored as null',
});

export const UnixSeconds = Type.Integer({ description: 'Unix time in seconds' });

/** The last second of the year 9999: many programs cannot format later dates. */
const lastSecond = 253_402_300_799;

/** When something expires. */
export const EndSeconds = Type.Integer({ minimum: 0, maximum: lastSecond });

/** Which groups an entry is in, by id. */
export const GroupIds = groupIds({});
export function groupIds(options: { readonly description?: string }) {
  return Type.Array(Type.Integer({ minimum: 0 }), { maxItems: limits.itemsPerRequest, ...options });
}

export const GroupExpiry = Type.Record(Type.String({ pattern: '^[0-9]{1,10}$' }), EndSeconds, {
  additionalProperties: false,
  description: 'Group id to the Unix time in seconds at which the membership ends',
});

/** In a schema: the limit to which a larger number in the query string is reduced. */
export const maxKey = 'x-most';

/** How many entries to return, for the query string: a number above the limit counts as the limit. */
export function countUpTo(most: number, options: { readonly default: number; readonly description: string }) {
  return Type.Optional(
    Type.Integer({
      minimum: 0,
      [maxKey]: most,
      ...options,
      description: `${options.description}; more than ${most} counts as ${most}`,
    }),
  );
}

export const Processed = Type.Object(
  {
    success: Type.Array(Type.Object({ item: Type.String() })),
    errors: Type.Array(Type.Object({ item: Type.String(), error: Type.String() })),
  },
  { title: 'Processed', description: 'The result for each item of the request' },
);

/** The body of a batch delete; an empty one removes nothing, like one with unknown items. */
export function removals<const P extends TProperties>(item: P) {
  return {
    body: Type.Array(Type.Object(item), { maxItems: limits.itemsPerRequest }),
    fieldErrors: {
      body: { missing: 'noBody', wrong: 'notRemoved', hint: 'Argument is not an array' },
    },
    replies: { 204: { description: 'At least one was removed', body: null } },
  } as const;
}

/** A JSON Merge Patch (RFC 7396) as an object, or a JSON Patch (RFC 6902) as an array. */
export const Patch = Type.Union(
  [
    Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Merge Patch (RFC 7396)' }),
    Type.Array(
      Type.Object({
        op: Type.Enum(['add', 'remove', 'replace', 'test', 'move', 'copy']),
        path: Type.String(),
        from: Type.Optional(Type.String()),
        value: Type.Optional(Type.Unknown()),
      }),
      { maxItems: 100, description: 'JSON Patch (RFC 6902)' },
    ),
  ],
  { description: 'An object is merged, an array is a list of operations' },
);
