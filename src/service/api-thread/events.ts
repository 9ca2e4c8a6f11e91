// The event streams of the API. Stored changes, the blocking switch and new queries are published as events
// here; lists and messages publish their own.

import { wallClockMs } from '#platform/time';
import { type EventHub, EventStreams, HistoryQuerySource, emitChanges } from '#api/events';
import { blockingInForce } from '#api/handlers';
import type { Api } from './api.ts';

export function createEventStreams(
  hub: EventHub,
  {
    storage,
    blocking,
    pauses,
    history,
    dns,
  }: Pick<Api, 'storage' | 'blocking' | 'pauses' | 'history' | 'dns'>,
): EventStreams {
  /** Published once queries are answered accordingly. */
  const publishBlocking = async (): Promise<void> => {
    await dns.upToDate();
    hub.emit('blocking.changed', { ...blockingInForce(blocking, dns), pauses: pauses.inForce().length });
  };
  blocking.subscribe(() => void publishBlocking());
  storage.subscribe((changes, version) => {
    emitChanges(hub.emit, changes, version);
    if (changes.some(({ entity }) => entity === 'pause')) void publishBlocking();
  });
  return new EventStreams({ hub, queries: new HistoryQuerySource(history), wallMs: wallClockMs });
}
