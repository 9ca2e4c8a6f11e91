// What has happened to a process (a signal, the end of a child) is heard when its event loop looks for it.

/** Resolves when the loop has looked at least once. */
export async function nextEvents(): Promise<void> {
  // The first may come before the loop looks.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}
