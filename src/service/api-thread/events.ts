// The events of the api thread: what is told to those who listen comes from the door of changes, the blocking
// switch and the traces of the dns workers; lists and messages tell by themselves.

import { wallClockMs } from '#platform/time';
import { type EventHub, EventStreams, FollowedQueries, tellChanges } from '#api/events';
import { blockingInForce } from '#api/handlers';
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
  storage.subscribe((changes, version) => {
    tellChanges(hub.emit, changes, version);
    if (changes.some(({ entity }) => entity === 'pause')) void tellBlocking();
  });
  return new EventStreams({ hub, queries: new FollowedQueries(history), wallMs: wallClockMs });
};
