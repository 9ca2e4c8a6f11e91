// Limits how many password hashes are computed at once and how many attempts wait. By design a hash takes 19
// MiB and a core for some 50 ms; a flood of logins must not slow down other clients. Attempts from addresses
// that have a session wait in a separate queue with priority. A full queue is shared fairly: an attempt from
// a network with fewer waiting attempts replaces the newest attempt of the network with the most.

import { limits } from '#contract';

type Gated<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };

export type GateQueue = 'known' | 'unknown';

/** Attempts of the same `network` count together when a queue is full. */
export type HashingGate = <T>(queue: GateQueue, network: string, work: () => Promise<T>) => Promise<Gated<T>>;

type Waiting = { readonly network: string; readonly end: (mayRun: boolean) => void };

export function createHashingGate(): HashingGate {
  let running = 0;
  const queues: Readonly<Record<GateQueue, Waiting[]>> = { known: [], unknown: [] };
  const enter = async (queue: Waiting[], network: string): Promise<boolean> => {
    if (running < limits.concurrentPasswordHashes) {
      running++;
      return true;
    }
    // `leave` passes its place to the next waiting attempt without changing `running`.
    return ensurePlace(queue, network) && new Promise((end) => queue.push({ network, end }));
  };
  const leave = (): void => {
    const next = queues.known.shift() ?? queues.unknown.shift();
    if (next === undefined) running--;
    else next.end(true);
  };
  return async (queue, network, work) => {
    if (!(await enter(queues[queue], network))) return { ok: false };
    try {
      return { ok: true, value: await work() };
    } finally {
      leave();
    }
  };
}

/**
 * Whether one more attempt of this network may wait. A waiting attempt of a busier network may lose its
 * place.
 */
function ensurePlace(queue: Waiting[], network: string): boolean {
  if (queue.length < limits.waitingLogins) return true;
  const counts = Map.groupBy(queue, (waiting) => waiting.network);
  const most = [...counts.values()].reduce((one, other) => (other.length > one.length ? other : one));
  const newest = most.at(-1);
  if (newest === undefined || most.length <= (counts.get(network)?.length ?? 0) + 1) return false;
  queue.splice(queue.indexOf(newest), 1);
  newest.end(false);
  return true;
}
