// A change that was refused, in the words of the API: too many at once, or a database that cannot be written.

import { fail, type Failure, type WriteFailure } from '#contract';
import type { ChangeRefused } from './change.ts';

export const writeFailure = ({ trouble, problem }: ChangeRefused): Failure<WriteFailure> =>
  fail(trouble === 'busy' ? 'tooManyRequests' : 'databaseAway', problem);
