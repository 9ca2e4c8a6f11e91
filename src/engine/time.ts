// Where the time is read on the path of a query. An object and not a number: one with a fraction, as the
// clock gives it, is put on the heap whenever it is handed from function to function.

export interface Time {
  /** The steady clock, read once per batch. */
  readonly nowMs: number;
}
