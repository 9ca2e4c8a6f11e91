// Settings of subscribed lists; the lists themselves are entities in the database.

import { flag, whole } from './declare.ts';

export const lists = {
  updateHours: whole({
    default: 24,
    range: [0, 8_760],
    help: 'How often subscribed lists are fetched, in hours. 0: only when an update is requested.',
  }),
  allowLocal: flag({
    default: false,
    help:
      'Whether lists may be fetched from loopback and link-local addresses, and from addresses of this ' +
      'machine: from the machine itself, or from services such as the metadata of a cloud. Holds for lists ' +
      'that were added with the password, with `sudo` or by an earlier version; others reach public ' +
      'addresses alone.',
  }),
} as const;
