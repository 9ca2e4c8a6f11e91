// Collects the garbage of the start: texts of modules, rows that were converted. V8 collects it only when it
// needs memory, which a thread that is idle afterwards never does; so the collection is requested once, when
// the start is over. That frees some 13 MB. Dns workers are excluded: they would not answer for 20 ms.

/** Long enough for the rest of the start, and for the first requests of waiting clients. */
const settledMs = 6_000;

/** For the calling thread. `gc` exists when Node was started with --expose-gc. */
export function collectGarbageAfterStart(): void {
  setTimeout(
    () => globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
    settledMs,
  ).unref();
}
