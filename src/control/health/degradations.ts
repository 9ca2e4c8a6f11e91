// What is wrong with the service now, by part: the source of truth for health, status, metrics, log, events
// and diagnosis messages. Each part has sources that report current problems. They are polled every second
// and before every reply, so a reply is as recent as its sources: dns workers publish the state of their
// upstreams every two seconds, all other sources are up to date.

import type { HealthPart } from '#contract';
import type { Log } from '#platform/log';

/** A problem that a source reports. */
export interface Finding {
  /** What happened, where, and what to do. */
  readonly reason: string;
  /** The service cannot do its main work: probes get 503. */
  readonly isFailing?: boolean;
  /** Another component has already put a diagnosis message. */
  readonly hasMessage?: boolean;
}

export interface Degradation extends Finding {
  readonly part: HealthPart;
  /** Unix time. */
  readonly sinceMs: number;
}

type Source = () => Finding | string | undefined;

export interface DegradationsParts {
  readonly wallMs: () => number;
  readonly log: Log;
  /** Puts the diagnosis message of the part; undefined removes it. */
  readonly putMessage: (part: HealthPart, text: string | undefined) => void;
  /** Called when a degradation begins, changes or ends. */
  readonly onChange: (all: readonly Degradation[]) => void;
}

const checkEveryMs = 1_000;

export class Degradations {
  readonly #parts: DegradationsParts;
  readonly #sources: (readonly [HealthPart, Source])[] = [];
  readonly #known = new Map<HealthPart, Degradation>();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(parts: DegradationsParts) {
    this.#parts = parts;
  }

  /** A part may have several sources; their reasons are joined. */
  watch(part: HealthPart, source: Source): void {
    this.#sources.push([part, source]);
  }

  /** Starts polling, so that changes are noticed without a request. */
  start(): void {
    this.check();
    this.#timer ??= setInterval(() => this.check(), checkEveryMs).unref();
  }

  /** Freezes the findings: a part of a service that is stopping is not degraded. */
  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  /** All current degradations, the oldest first. */
  now(): readonly Degradation[] {
    this.check();
    return [...this.#known.values()];
  }

  check(): void {
    if (this.#isStopped) return;
    const found = this.#findings();
    const changed = [...new Set([...found.keys(), ...this.#known.keys()])].filter((part) =>
      this.#update(part, found.get(part)),
    );
    if (changed.length > 0) this.#parts.onChange([...this.#known.values()]);
  }

  #findings(): ReadonlyMap<HealthPart, Finding> {
    const found = new Map<HealthPart, Finding>();
    for (const [part, source] of this.#sources) {
      const finding = source();
      if (finding !== undefined) found.set(part, joined(found.get(part), finding));
    }
    return found;
  }

  /** Returns whether the part has changed. */
  #update(part: HealthPart, finding: Finding | undefined): boolean {
    const known = this.#known.get(part);
    if (finding === undefined) return known !== undefined && this.#end(known);
    if (known?.reason === finding.reason && known.isFailing === finding.isFailing) return false;
    return this.#begin(part, finding, known);
  }

  /** A part whose reason changes keeps the time of the first reason. */
  #begin(part: HealthPart, finding: Finding, known: Degradation | undefined): true {
    const { wallMs, log, putMessage } = this.#parts;
    this.#known.set(part, { ...finding, part, sinceMs: known?.sinceMs ?? wallMs() });
    if (finding.isFailing === true) log.error(`FAILING: ${finding.reason}`, { part });
    else log.warn(`DEGRADED: ${finding.reason}`, { part });
    putMessage(part, finding.hasMessage === true ? undefined : finding.reason);
    return true;
  }

  #end({ part, sinceMs }: Degradation): true {
    const { wallMs, log, putMessage } = this.#parts;
    this.#known.delete(part);
    const seconds = Math.max(0, Math.round((wallMs() - sinceMs) / 1000));
    log.info(`The part ${part} works again`, { part, seconds });
    putMessage(part, undefined);
    return true;
  }
}

function joined(before: Finding | undefined, found: Finding | string): Finding {
  const finding = typeof found === 'string' ? { reason: found } : found;
  if (before === undefined) return finding;
  return {
    reason: `${before.reason} ${finding.reason}`,
    isFailing: before.isFailing === true || finding.isFailing === true,
    hasMessage: before.hasMessage === true && finding.hasMessage === true,
  };
}
