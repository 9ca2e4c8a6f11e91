// A start leaves garbage behind: texts of modules, rows that were turned into something else. V8 collects it
// when it needs room, which a thread that is idle from then on never does; so it is told to, once, when the
// start is over. That gives some 13 MB back. Dns workers are left alone: they would not answer for 20 ms.

/** Long enough for whatever a start still does, and for the first requests of those who waited for it. */
const settledMs = 6_000;

/** Of the calling thread. Node has it for us when it was started with --expose-gc. */
export function collectGarbageAfterStart(): void {
  setTimeout(
    () => globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
    settledMs,
  ).unref();
}
