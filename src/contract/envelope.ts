// Schemas of the fields that the service adds to every JSON reply: `took` in all of them, `ignored` where a
// body was sent, and the shape of errors.

import { Type } from 'typebox';
import { limits } from './limits.ts';

export const Took = Type.Number({ minimum: 0, description: 'Processing time in seconds' });

export const Ignored = Type.Array(Type.String(), {
  maxItems: limits.ignoredNames,
  description: 'Fields of the request body that this version does not know',
});

export const ErrorBody = Type.Object(
  {
    error: Type.Object({
      key: Type.String({ description: 'Short category, for programs' }),
      message: Type.String({ description: 'For people' }),
      hint: Type.Union([Type.String(), Type.Null(), Type.Record(Type.String(), Type.Unknown())], {
        description: 'Detail that depends on the error, or null',
      }),
    }),
    took: Took,
  },
  { title: 'Error' },
);
