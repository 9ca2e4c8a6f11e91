// Limits how many password hashes are computed at once and how many wait. A hash takes 19 MiB and a core for
// some 50 ms by design; a flood of logins must not cost anybody else time. Attempts from addresses that have
// a session wait in a queue of their own, which goes first. A full queue is shared fairly: an attempt from a
// network with fewer waiting attempts replaces the newest one of the network with the most.

type Gated<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };

export type GateQueue = 'known' | 'strangers';

/** `network` is the key by which attempts share a queue. */
export type HashingGate = <T>(queue: GateQueue, network: string, work: () => Promise<T>) => Promise<Gated<T>>;

const RUNNING_MAX = 2;
const WAITING_MAX = 8;

type Waiting = { readonly network: string; readonly end: (mayRun: boolean) => void };

export function createHashingGate(): HashingGate {
  let running = 0;
  const queues: Readonly<Record<GateQueue, Waiting[]>> = { known: [], strangers: [] };
  const enter = async (queue: Waiting[], network: string): Promise<boolean> => {
    if (running < RUNNING_MAX) {
      running++;
      return true;
    }
    // An attempt that leaves passes its place on, so `running` stays as it is.
    return hasPlace(queue, network) && new Promise((end) => queue.push({ network, end }));
  };
  const leave = (): void => {
    const next = queues.known.shift() ?? queues.strangers.shift();
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

/** Whether one more attempt of this network may wait; refuses another one for it where that is fairer. */
function hasPlace(queue: Waiting[], network: string): boolean {
  if (queue.length < WAITING_MAX) return true;
  const counts = Map.groupBy(queue, (waiting) => waiting.network);
  const most = [...counts.values()].reduce((one, other) => (other.length > one.length ? other : one));
  const newest = most.at(-1);
  if (newest === undefined || most.length <= (counts.get(network)?.length ?? 0) + 1) return false;
  queue.splice(queue.indexOf(newest), 1);
  newest.end(false);
  return true;
}
