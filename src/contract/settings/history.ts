// Settings of the history: how long queries are stored, and how much of them. Some names are those that
// existing clients of this API know (misc.privacylevel, database.maxDBdays).

import { limits } from '../limits.ts';
import { addressRangeProblem, hostNameProblem } from './checks.ts';
import { texts, whole } from './declare.ts';

export const misc = {
  privacylevel: whole({
    default: 0,
    range: [0, 3],
    help:
      'What is stored of a query. 0: everything. 1: not its name. 2: neither its name nor its client. ' +
      '3: nothing; queries are counted for 24 hours, in memory alone. What was hidden when it was recorded ' +
      'stays hidden.',
  }),
} as const;

export const database = {
  maxDBdays: whole({
    default: 91,
    range: [0, limits.historyDays],
    help: 'For how many days queries are stored. 0: for the last 24 hours only.',
  }),
  maxMegabytes: whole({
    default: 4096,
    range: [0, 1_048_576],
    help: 'How large the history may become on disk; the oldest queries are deleted first. 0: without limit.',
  }),
  blockedDays: whole({
    default: 0,
    range: [0, limits.historyDays],
    help: 'For how many days blocked queries are stored. 0: as long as all others.',
  }),
  allowedDays: whole({
    default: 0,
    range: [0, limits.historyDays],
    help: 'For how many days queries that were not blocked are stored. 0: as long as all others.',
  }),
  leaveOut: {
    domains: texts({
      default: [],
      help: 'Names that are not recorded, including their subdomains.',
      allowed: 'a domain',
      check: hostNameProblem,
    }),
    clients: texts({
      default: [],
      help: 'Clients whose queries are not recorded.',
      allowed: 'an address or a range (address/length)',
      check: addressRangeProblem,
    }),
  },
} as const;
