// What happens in the service, told to whoever listens at this moment: a typed emitter inside the process and
// nothing more. It keeps nothing, so it cannot grow; whoever wants to send events over a slow connection
// keeps them itself, and bounds that. A listener that throws is its own problem.

import type { Degradation } from '#control/health';
import type { ListEvents } from '#lists/update';
import type { Fitting } from './fitting.ts';
import type { QueryRow } from './query-row.ts';

export interface ServiceEvents extends ListEvents {
  /** Queries that were answered since the last of these. */
  readonly queries: Fitting<QueryRow>;
  readonly 'settings.changed': OfChange<ChangedSetting>;
  /** Application passwords. */
  readonly 'apps.changed': OfChange<ChangedItem>;
  /** Groups, domains, lists, clients and pauses. */
  readonly 'policy.changed': OfChange<ChangedItem>;
  /** The service has found out more about these lists: how many entries they have, when they were fetched. */
  readonly 'lists.reported': Fitting<number>;
  /** There are other diagnosis messages than before. */
  readonly 'messages.changed': { readonly count: number };
  /** A part of the service began to be degraded or to fail, has another reason for it, or works again. */
  readonly 'health.changed': { readonly status: string; readonly problems: readonly Degradation[] };
  /** Blocking was switched, its timer set, or a pause begun or ended. */
  readonly 'blocking.changed': BlockingNow;
}

/** What a change did to things of one kind. */
interface OfChange<T> extends Fitting<T> {
  /** The number of the change; null where the service itself has found out something. */
  readonly version: number | null;
}

export interface ChangedSetting {
  readonly key: string;
  /** A mask where the setting is a secret. */
  readonly before: unknown;
  readonly after: unknown;
}

export interface ChangedItem {
  readonly entity: string;
  readonly id: number;
  /** What people call it; nothing where it has no name. */
  readonly name: string | null;
  readonly change: 'created' | 'changed' | 'deleted';
}

interface BlockingNow {
  readonly blocking: boolean;
  /** Seconds until it turns. */
  readonly timer: number | null;
  /** How many groups and clients are paused for. */
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

export const listenersMax = 128;

export class EventHub {
  readonly #nowMs: () => number;
  readonly #listeners = new Set<Listener>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  readonly emit: Emit = (name, data) => {
    // Name and data belong together by the type of this function.
    const event = { atMs: this.#nowMs(), name, data } as ServiceEvent;
    for (const listener of this.#listeners) tell(listener, event);
  };

  /** The way to end it; nothing when too many listen already. */
  subscribe(listener: Listener): (() => void) | undefined {
    if (this.#listeners.size >= listenersMax) return undefined;
    // A function of its own, so that whoever subscribes twice is told twice and ends each by itself.
    const own: Listener = (event) => listener(event);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }
}

function tell(listener: Listener, event: ServiceEvent): void {
  try {
    listener(event);
  } catch {
    // What happened has happened; the others are to hear of it too.
  }
}
