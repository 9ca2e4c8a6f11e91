// Whether DNS is answered where the settings want it. An address is answered when a running worker reads from
// its UDP socket. None: the service fails. Some, or not by all workers: it is degraded. A worker that died is
// back within two seconds, so it counts only when it stays away for longer.

import type { Listening } from '#platform/sockets';
import type { ThreadStatus } from '#platform/threads';
import type { Finding } from './degradations.ts';

export interface DnsHealthParts {
  /** The setting dns.listen. */
  readonly wanted: () => string;
  readonly listening: () => Pick<Listening, 'closed' | 'dns'>;
  readonly threads: () => readonly ThreadStatus[];
  readonly steadyMs: () => number;
}

/** As long as the replacement of a worker may take on a busy machine. */
const awayMaxMs = 5_000;

export class DnsHealth {
  readonly #parts: DnsHealthParts;
  /** By worker, since when it has not read from all sockets. */
  #awaySince: ReadonlyMap<string, number> = new Map();

  constructor(parts: DnsHealthParts) {
    this.#parts = parts;
  }

  readonly find = (): Finding | undefined => {
    const { wanted, listening } = this.#parts;
    const text = wanted();
    if (text === '') return undefined;
    const { closed, dns } = listening();
    const problems = closed.filter(({ setting }) => setting === 'dns.listen').map(({ problem }) => problem);
    const away = this.#away(dns);
    if (!dns.some(({ isAnswered }) => isAnswered))
      return { reason: failingText(text, problems, this.#failures()), isFailing: true };
    const late = away.length === 0 ? [] : [`These dns workers do not answer: ${away.join(', ')}.`];
    const reasons = [...new Set([...problems, ...late])];
    return reasons.length === 0 ? undefined : { reason: reasons.join(' ') };
  };

  /** Workers that have not read from some socket for too long. */
  #away(dns: Listening['dns']): readonly string[] {
    const nowMs = this.#parts.steadyMs();
    const names = new Set(dns.flatMap(({ missing }) => missing));
    this.#awaySince = new Map([...names].map((name) => [name, this.#awaySince.get(name) ?? nowMs]));
    return [...this.#awaySince].filter(([, since]) => nowMs - since >= awayMaxMs).map(([name]) => name);
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
