// Whether DNS is answered on the configured addresses. An address is answered when a running worker reads
// from its UDP socket. If no address is answered, the service is failing; if some are not, or not by all
// workers, it is degraded. A worker that dies is replaced within two seconds, so only a longer absence
// counts.

import type { Listening } from '#platform/sockets';
import type { ThreadStatus } from '#platform/threads';
import type { Finding } from './degradations.ts';
import { portProblems } from './port-problems.ts';

export interface DnsHealthParts {
  /** The setting dns.listen. */
  readonly wanted: () => string;
  readonly listening: () => Pick<Listening, 'closed' | 'dns' | 'replaced'>;
  readonly threads: () => readonly ThreadStatus[];
  readonly steadyMs: () => number;
}

/** Replacing a worker may take this long on a busy machine. */
const maxAwayMs = 5_000;

export class DnsHealth {
  readonly #parts: DnsHealthParts;
  /** By worker: since when it does not read from all sockets. */
  #awaySince: ReadonlyMap<string, number> = new Map();

  constructor(parts: DnsHealthParts) {
    this.#parts = parts;
  }

  readonly find = (): Finding | undefined => {
    const { wanted, listening } = this.#parts;
    const text = wanted();
    if (text === '') return undefined;
    const now = listening();
    const { dns } = now;
    const problems = portProblems(now, 'dns.listen');
    const away = this.#away(dns);
    if (!dns.some(({ isAnswered }) => isAnswered))
      return { reason: failingText(text, problems, this.#failures()), isFailing: true };
    const late = away.length === 0 ? [] : [`These dns workers do not answer: ${away.join(', ')}.`];
    const reasons = [...new Set([...problems, ...late])];
    return reasons.length === 0 ? undefined : { reason: reasons.join(' ') };
  };

  /** Workers that have been away for too long. */
  #away(dns: Listening['dns']): readonly string[] {
    const nowMs = this.#parts.steadyMs();
    const names = new Set(dns.flatMap(({ missing }) => missing));
    this.#awaySince = new Map([...names].map((name) => [name, this.#awaySince.get(name) ?? nowMs]));
    return [...this.#awaySince].filter(([, since]) => nowMs - since >= maxAwayMs).map(([name]) => name);
  }

  #failures(): readonly string[] {
    return this.#parts
      .threads()
      .filter(({ name, state }) => name.startsWith('dns') && state !== 'running')
      .map(({ name, lastFailure }) => `${name}: ${lastFailure ?? 'it is starting'}`);
  }
}

function failingText(wanted: string, problems: readonly string[], failures: readonly string[]): string {
  const reasons = [...new Set([...problems, ...failures])];
  const why = reasons.length === 0 ? 'no dns worker reads from its sockets yet' : reasons.join(' ');
  return `DNS is answered on no address of dns.listen (${wanted}): ${why}`;
}
