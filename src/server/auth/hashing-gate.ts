// Limits how many password hashes are computed at once and how many wait. A hash takes 19 MiB and a core for
// some 50 ms by design; a flood of logins must cost the flood time, and nobody else. Attempts from addresses
// that have a session wait in a queue of their own, which goes first: a flood of strangers can fill only the
// other one.

type Gated<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };

export type GateQueue = 'known' | 'strangers';

export type HashingGate = <T>(queue: GateQueue, work: () => Promise<T>) => Promise<Gated<T>>;

const RUNNING_MAX = 2;
const WAITING_MAX = 8;

export function createHashingGate(): HashingGate {
  let running = 0;
  const waiting: Readonly<Record<GateQueue, (() => void)[]>> = { known: [], strangers: [] };
  const enter = async (queue: GateQueue): Promise<void> => {
    if (running < RUNNING_MAX) running++;
    // The one who leaves hands its place on, so `running` stays as it is.
    else await new Promise<void>((resolve) => waiting[queue].push(resolve));
  };
  const leave = (): void => {
    const next = waiting.known.shift() ?? waiting.strangers.shift();
    if (next === undefined) running--;
    else next();
  };
  return async (queue, work) => {
    if (running >= RUNNING_MAX && waiting[queue].length >= WAITING_MAX) return { ok: false };
    await enter(queue);
    try {
      return { ok: true, value: await work() };
    } finally {
      leave();
    }
  };
}
