// Publishes the events of the service to its current listeners: a typed emitter inside the process. It stores
// no events, so it cannot grow; a listener that sends events over slow connections has its own bounded
// buffer. An exception of one listener does not affect the others.

import type { Degradation } from '#control/health';
import type { ListEvents } from '#lists/update';
import type { Truncated } from './truncate.ts';
import type { QueryRow } from './query-row.ts';

export interface ServiceEvents extends ListEvents {
  /** The queries answered since the previous event of this kind. */
  readonly queries: Truncated<QueryRow>;
  readonly 'settings.changed': ChangeItems<ChangedSetting>;
  /** Application passwords. */
  readonly 'apps.changed': ChangeItems<ChangedItem>;
  /** Groups, domains, lists, clients and pauses. */
  readonly 'policy.changed': ChangeItems<ChangedItem>;
  /** The service has updated its data about these lists: number of entries, time of the download. */
  readonly 'lists.reported': Truncated<number>;
  /** The diagnosis messages have changed. */
  readonly 'messages.changed': { readonly count: number };
  /** A part of the service degrades, fails, recovers, or fails for another reason. */
  readonly 'health.changed': { readonly status: string; readonly problems: readonly Degradation[] };
  /** Blocking was switched, its timer set, or a pause begun or ended. */
  readonly 'blocking.changed': BlockingNow;
}

/** The changed items of one kind. */
interface ChangeItems<T> extends Truncated<T> {
  /** The number of the change; null when the service itself reports something. */
  readonly version: number | null;
}

export interface ChangedSetting {
  readonly key: string;
  /** Masked if the setting is a secret. */
  readonly before: unknown;
  readonly after: unknown;
}

export interface ChangedItem {
  readonly entity: string;
  readonly id: number;
  /** Null for an item without a name. */
  readonly name: string | null;
  readonly change: 'created' | 'changed' | 'deleted';
}

interface BlockingNow {
  readonly blocking: boolean;
  /** Seconds until blocking is switched back. */
  readonly timer: number | null;
  /** How many groups and clients are paused. */
  readonly pauses: number;
}

export type EventName = keyof ServiceEvents;

export type ServiceEvent = {
  readonly [N in EventName]: {
    readonly atMs: number;
    readonly name: N;
    readonly data: ServiceEvents[N];
  };
}[EventName];

export type Emit = <N extends EventName>(name: N, data: ServiceEvents[N]) => void;

type Listener = (event: ServiceEvent) => void;

export const maxListeners = 128;

export class EventHub {
  readonly #nowMs: () => number;
  readonly #listeners = new Set<Listener>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  readonly emit: Emit = (name, data) => {
    // Name and data belong together by the type of this function.
    const event = { atMs: this.#nowMs(), name, data } as ServiceEvent;
    for (const listener of this.#listeners) notify(listener, event);
  };

  /** Returns the function that unsubscribes; undefined when there are too many listeners. */
  subscribe(listener: Listener): (() => void) | undefined {
    if (this.#listeners.size >= maxListeners) return undefined;
    // A separate function per subscription: a listener may subscribe twice and end each subscription alone.
    const own: Listener = (event) => listener(event);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }
}

function notify(listener: Listener, event: ServiceEvent): void {
  try {
    listener(event);
  } catch {
    // The other listeners must get the event too.
  }
}
