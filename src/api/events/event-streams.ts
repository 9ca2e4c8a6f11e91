// The readers of events. An event becomes bytes once, and the same bytes are written to all who want its
// type (of queries once for each filter); nobody is waited for. A reader whose connection holds more than it
// may is dropped and told so, one whose session has ended is told that, and all are told when the service
// goes. Queries are asked for only while somebody wants them, and for a moment longer, so that a reader who
// comes again misses none.

import { limits, type EventType, type PushTarget } from '#contract';
import type { EventHub } from './event-hub.ts';
import { EventLog } from './event-log.ts';
import { heartbeatBytes, textBytes } from './event-text.ts';
import { NarrowedEvent } from './narrowed-event.ts';
import type { QueryFilter } from './query-filter.ts';
import type { QuerySource } from './query-source.ts';

export interface EventStreamsOptions {
  readonly hub: EventHub;
  readonly queries: QuerySource;
  readonly wallMs: () => number;
  readonly heartbeatMs?: number;
  /** How often it is looked whose session has ended. */
  readonly lookEveryMs?: number;
  readonly lingerMs?: number;
}

/** Who reads. */
export interface EventReader {
  readonly types: ReadonlySet<EventType>;
  /** Which queries; all without. */
  readonly filter: QueryFilter | undefined;
  /** What it has seen last. */
  readonly lastId: string | undefined;
  readonly address: string;
  readonly sessionId: number | undefined;
  /** Whether its session goes on. */
  readonly isAllowed: () => boolean;
}

type EndReason = 'slow' | 'session' | 'stopping' | 'restarting';

interface Connected extends EventReader {
  readonly target: PushTarget;
}

const lookEveryMs = 1_000;
const lingerMs = 30_000;
const usualRetryMs = 2_000;

const ends: Readonly<Record<EndReason, { readonly text: string; readonly retryMs: number }>> = {
  slow: {
    text: 'Too much was waiting to be read. Read faster, or ask for fewer types.',
    retryMs: usualRetryMs,
  },
  session: { text: 'The session has ended: log in again.', retryMs: 5_000 },
  stopping: { text: 'The service is stopping.', retryMs: 5_000 },
  restarting: { text: 'The service is being restarted: come again with the last id.', retryMs: 500 },
};

export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #log: EventLog;
  readonly #readers = new Set<Connected>();
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #unsubscribe: (() => void) | undefined;
  #queriesEnd: NodeJS.Timeout | undefined;
  #hasQueries = false;
  #isClosed = false;

  constructor(options: EventStreamsOptions) {
    const { hub, wallMs, heartbeatMs = limits.eventHeartbeatMs } = options;
    this.#options = options;
    this.#log = new EventLog(wallMs());
    this.#unsubscribe = hub.subscribe((event) => {
      const kept = this.#log.add(event);
      const narrowed = new NarrowedEvent(kept);
      for (const reader of this.#readers) {
        const bytes = reader.types.has(kept.type) ? narrowed.bytesFor(reader.filter) : undefined;
        if (bytes !== undefined) this.#push(reader, bytes);
      }
    });
    this.#timers = [
      setInterval(() => this.#beat(), heartbeatMs).unref(),
      setInterval(() => this.#look(), options.lookEveryMs ?? lookEveryMs).unref(),
    ];
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Why there is no place for another reader; nothing when there is one. */
  fullness({ address, sessionId }: Pick<EventReader, 'address' | 'sessionId'>): string | undefined {
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
    target.onGone(() => this.#leave(connected));
    this.#greet(connected);
    if (reader.types.has('queries')) this.#wantQueries();
  }

  /** Ends all streams; there are no others afterwards. */
  close(reason: 'stopping' | 'restarting'): void {
    this.#isClosed = true;
    this.#unsubscribe?.();
    for (const timer of this.#timers) clearInterval(timer);
    for (const reader of this.#readers) this.#end(reader, reason);
    clearTimeout(this.#queriesEnd);
    this.#stopQueries();
  }

  #greet({ target, types, filter, lastId }: Connected): void {
    const { id, hasLost, events } = this.#log.resume(lastId, types);
    const time = this.#options.wallMs() / 1000;
    target.write(textBytes({ id, name: 'hello', data: { time, types: [...types] }, retryMs: usualRetryMs }));
    const lost = {
      time,
      after: lastId,
      text: 'Some events since then are not kept: read anew what you show.',
    };
    if (hasLost) target.write(textBytes({ name: 'lost', data: lost }));
    for (const event of events) {
      const bytes = new NarrowedEvent(event).bytesFor(filter);
      if (bytes !== undefined) target.write(bytes);
    }
  }

  #push(reader: Connected, bytes: Uint8Array): void {
    if (!reader.isAllowed()) this.#end(reader, 'session');
    else if (reader.target.waitingBytes() + bytes.length > limits.eventBytesWaiting)
      this.#end(reader, 'slow');
    else reader.target.write(bytes);
  }

  #beat(): void {
    for (const reader of this.#readers) this.#push(reader, heartbeatBytes);
  }

  #look(): void {
    for (const reader of this.#readers) if (!reader.isAllowed()) this.#end(reader, 'session');
  }

  #end(reader: Connected, reason: EndReason): void {
    const { text, retryMs } = ends[reason];
    const time = this.#options.wallMs() / 1000;
    this.#leave(reader);
    reader.target.end(textBytes({ name: 'end', data: { time, reason, text }, retryMs }));
  }

  #leave(reader: Connected): void {
    this.#readers.delete(reader);
    if (!this.#hasQueries || this.#queriesEnd !== undefined) return;
    if ([...this.#readers].some(({ types }) => types.has('queries'))) return;
    this.#queriesEnd = setTimeout(() => this.#stopQueries(), this.#options.lingerMs ?? lingerMs).unref();
  }

  #wantQueries(): void {
    clearTimeout(this.#queriesEnd);
    this.#queriesEnd = undefined;
    if (this.#hasQueries) return;
    this.#hasQueries = true;
    this.#options.queries.begin((batch) => this.#options.hub.emit('queries', batch));
  }

  #stopQueries(): void {
    this.#queriesEnd = undefined;
    if (!this.#hasQueries) return;
    this.#hasQueries = false;
    this.#options.queries.end();
    this.#log.stopQueries();
  }
}
