// The events of the api thread: what is told to those who listen comes from the door of changes, the blocking
// switch and the traces of the dns workers; lists and messages tell by themselves.

import { wallClockMs } from '../clock.ts';
import { tellChanges } from '../events/change-events.ts';
import type { EventHub } from '../events/event-hub.ts';
import { EventStreams } from '../events/event-streams.ts';
import { blockingInForce } from '../handlers/blocking.ts';
import { FollowedQueries } from '../events/query-source.ts';
import type { Api } from './api.ts';

export const createEventStreams = (
  hub: EventHub,
  {
    storage,
    blocking,
    pauses,
    history,
    dns,
  }: Pick<Api, 'storage' | 'blocking' | 'pauses' | 'history' | 'dns'>,
): EventStreams => {
  /** Once queries are answered accordingly. */
  const tellBlocking = async (): Promise<void> => {
    await dns.upToDate();
    hub.emit('blocking.changed', { ...blockingInForce(blocking, dns), pauses: pauses.inForce().length });
  };
  blocking.subscribe(() => void tellBlocking());
  storage.subscribe((changes) => {
    tellChanges(hub.emit, changes);
    if (changes.some(({ entity }) => entity === 'pause')) void tellBlocking();
  });
  return new EventStreams({ hub, queries: new FollowedQueries(history), wallMs: wallClockMs });
};
