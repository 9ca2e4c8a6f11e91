// Lets so many password hashes be computed at once and so many wait. A hash takes 19 MiB and a core for some
// 50 ms by design; a flood of logins must cost the flood time, and nobody else.

type Gated<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };

export type HashingGate = <T>(work: () => Promise<T>) => Promise<Gated<T>>;

const atOnceMax = 2;
const waitingMax = 8;

export const createHashingGate = (): HashingGate => {
  let running = 0;
  const waiting: (() => void)[] = [];
  const enter = async (): Promise<void> => {
    if (running < atOnceMax) running++;
    // Whoever leaves hands its place on, so `running` stays as it is.
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  };
  return async (work) => {
    if (running >= atOnceMax && waiting.length >= waitingMax) return { ok: false };
    await enter();
    try {
      return { ok: true, value: await work() };
    } finally {
      leave();
    }
  };
};
