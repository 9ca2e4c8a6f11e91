// The events of the api thread: what is told to those who listen comes from the door of changes, the blocking
// switch and the traces of the dns workers; lists and messages tell by themselves.

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
  /** Once queries are answered accordingly. */
  const publishBlocking = async (): Promise<void> => {
    await dns.upToDate();
    hub.emit('blocking.changed', { ...blockingInForce(blocking, dns), pauses: pauses.inForce().length });
  };
  blocking.subscribe(() => void publishBlocking());
  storage.subscribe((changes) => {
    emitChanges(hub.emit, changes);
    if (changes.some(({ entity }) => entity === 'pause')) void publishBlocking();
  });
  return new EventStreams({ hub, queries: new HistoryQuerySource(history), wallMs: wallClockMs });
}
