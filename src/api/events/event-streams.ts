// Sends events to the connected readers. An event is serialised once, and the same bytes are written to all
// readers of its type (query events once per filter); no write waits for a reader. A reader with too many
// unsent bytes is disconnected. Readers get an `end` event with the reason before they are disconnected, also
// when their session ends or the service stops. Queries are requested from the history only while a reader
// wants them, and for 30 s longer, so that a reader that reconnects misses none.

import { limits, type EventType, type PushTarget } from '#contract';
import type { EventHub } from './event-hub.ts';
import { EventLog } from './event-log.ts';
import { heartbeatBytes, textBytes } from './event-text.ts';
import { FilteredEvent } from './filtered-event.ts';
import type { QueryFilter } from './query-filter.ts';
import type { QuerySource } from './query-source.ts';

export interface EventStreamsOptions {
  readonly hub: EventHub;
  readonly queries: QuerySource;
  readonly wallMs: () => number;
  readonly heartbeatMs?: number;
  /** How often the sessions of all readers are checked. */
  readonly sessionCheckMs?: number;
  readonly lingerMs?: number;
}

export interface EventReader {
  readonly types: ReadonlySet<EventType>;
  /** Selects queries; undefined: all of them. */
  readonly filter: QueryFilter | undefined;
  /** The last event that the reader has seen. */
  readonly lastId: string | undefined;
  readonly address: string;
  readonly sessionId: number | undefined;
  /** Whether its session is still open. */
  readonly isAllowed: () => boolean;
}

type EndReason = 'slow' | 'session' | 'stopping' | 'restarting';

interface Connected extends EventReader {
  readonly target: PushTarget;
}

const sessionCheckMs = 1_000;
const lingerMs = 30_000;
const defaultRetryMs = 2_000;

const ends: Readonly<Record<EndReason, { readonly text: string; readonly retryMs: number }>> = {
  slow: {
    text: 'Too much was waiting to be read. Read faster, or request fewer types.',
    retryMs: defaultRetryMs,
  },
  session: { text: 'The session has ended: log in again.', retryMs: 5_000 },
  stopping: { text: 'The service is stopping.', retryMs: 5_000 },
  restarting: { text: 'The service is being restarted: reconnect with the last id.', retryMs: 500 },
};

export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #log: EventLog;
  readonly #readers = new Set<Connected>();
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #unsubscribe: (() => void) | undefined;
  #stopTimer: NodeJS.Timeout | undefined;
  #isReceivingQueries = false;
  #isClosed = false;

  constructor(options: EventStreamsOptions) {
    const { hub, wallMs, heartbeatMs = limits.eventHeartbeatMs } = options;
    this.#options = options;
    this.#log = new EventLog(wallMs());
    this.#unsubscribe = hub.subscribe((event) => {
      const kept = this.#log.add(event);
      const filtered = new FilteredEvent(kept);
      for (const reader of this.#readers) {
        const bytes = reader.types.has(kept.type) ? filtered.bytesFor(reader.filter) : undefined;
        if (bytes !== undefined) this.#push(reader, bytes);
      }
    });
    this.#timers = [
      setInterval(() => this.#sendHeartbeats(), heartbeatMs).unref(),
      setInterval(() => this.#endInvalidSessions(), options.sessionCheckMs ?? sessionCheckMs).unref(),
    ];
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Why there cannot be another reader; undefined when there can. */
  capacityProblem({ address, sessionId }: Pick<EventReader, 'address' | 'sessionId'>): string | undefined {
    const { eventReaders, eventReadersPerAddress, eventReadersPerSession } = limits;
    const readers = [...this.#readers];
    if (readers.length >= eventReaders) return `There are ${eventReaders} streams of events, the most.`;
    if (readers.filter((one) => one.address === address).length >= eventReadersPerAddress)
      return `This address has ${eventReadersPerAddress} streams of events: close one of them.`;
    const isOwn = (one: EventReader): boolean => sessionId !== undefined && one.sessionId === sessionId;
    return readers.filter(isOwn).length >= eventReadersPerSession
      ? `This session has ${eventReadersPerSession} streams of events: close one of them.`
      : undefined;
  }

  open(target: PushTarget, reader: EventReader): void {
    const connected: Connected = { ...reader, target };
    this.#readers.add(connected);
    target.onGone(() => this.#remove(connected));
    this.#sendHello(connected);
    if (reader.types.has('queries')) this.#startQueries();
  }

  /** Ends all streams; none can be opened afterwards. */
  close(reason: 'stopping' | 'restarting'): void {
    this.#isClosed = true;
    this.#unsubscribe?.();
    for (const timer of this.#timers) clearInterval(timer);
    for (const reader of this.#readers) this.#end(reader, reason);
    clearTimeout(this.#stopTimer);
    this.#stopQueries();
  }

  #sendHello({ target, types, filter, lastId }: Connected): void {
    const { id, hasLost, events } = this.#log.resume(lastId, types);
    const time = this.#options.wallMs() / 1000;
    target.write(
      textBytes({ id, name: 'hello', data: { time, types: [...types] }, retryMs: defaultRetryMs }),
    );
    const lost = {
      time,
      after: lastId,
      text: 'Some events since then are no longer available: reload what you show.',
    };
    if (hasLost) target.write(textBytes({ name: 'lost', data: lost }));
    for (const event of events) {
      const bytes = new FilteredEvent(event).bytesFor(filter);
      if (bytes !== undefined) target.write(bytes);
    }
  }

  #push(reader: Connected, bytes: Uint8Array): void {
    if (!reader.isAllowed()) this.#end(reader, 'session');
    else if (reader.target.waitingBytes() + bytes.length > limits.eventBytesWaiting)
      this.#end(reader, 'slow');
    else reader.target.write(bytes);
  }

  #sendHeartbeats(): void {
    for (const reader of this.#readers) this.#push(reader, heartbeatBytes);
  }

  #endInvalidSessions(): void {
    for (const reader of this.#readers) if (!reader.isAllowed()) this.#end(reader, 'session');
  }

  #end(reader: Connected, reason: EndReason): void {
    const { text, retryMs } = ends[reason];
    const time = this.#options.wallMs() / 1000;
    this.#remove(reader);
    reader.target.end(textBytes({ name: 'end', data: { time, reason, text }, retryMs }));
  }

  #remove(reader: Connected): void {
    this.#readers.delete(reader);
    if (!this.#isReceivingQueries || this.#stopTimer !== undefined) return;
    if ([...this.#readers].some(({ types }) => types.has('queries'))) return;
    this.#stopTimer = setTimeout(() => this.#stopQueries(), this.#options.lingerMs ?? lingerMs).unref();
  }

  #startQueries(): void {
    clearTimeout(this.#stopTimer);
    this.#stopTimer = undefined;
    if (this.#isReceivingQueries) return;
    this.#isReceivingQueries = true;
    this.#options.queries.start((batch) => this.#options.hub.emit('queries', batch));
  }

  #stopQueries(): void {
    this.#stopTimer = undefined;
    if (!this.#isReceivingQueries) return;
    this.#isReceivingQueries = false;
    this.#options.queries.stop();
    this.#log.stopQueries();
  }
}
