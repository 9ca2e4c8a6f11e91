// Node delivers signals and the end of child processes when its event loop polls.

/** Resolves when the event loop has polled at least once. */
export async function nextEvents(): Promise<void> {
  // The first callback may run before the loop polls.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}
