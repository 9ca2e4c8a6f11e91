// Settings of subscribed lists; the lists themselves are entities and stand in the database.

import { whole } from './declare.ts';

export const lists = {
  updateHours: whole({
    default: 24,
    range: [0, 8_760],
    help: 'How often subscribed lists are fetched, in hours. 0: only when an update is asked for.',
  }),
} as const;
