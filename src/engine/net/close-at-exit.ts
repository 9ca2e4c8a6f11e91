// Closes sockets when their thread exits. A dying thread runs its event loop once more, and libuv then reads
// datagrams and accepts connections for which no code is left: they would be lost. What is closed leaves them
// in the kernel's queue, where the successor finds them, for the main thread has the socket too. A thread
// that runs out of memory stops without a word, and libuv reads up to 32 datagrams of each socket into
// nothing: a thread should watch its memory and exit before the limit does it.

interface Closable {
  close(): unknown;
}

/** One hook for all: a hook for each would look like a leak to Node. */
const open = new Set<Closable>();

export function closeAtExit(closable: Closable): void {
  if (open.size === 0) process.once('exit', closeAll);
  open.add(closable);
}

/** To be called when it is closed in the ordinary way. */
export function closedBeforeExit(closable: Closable): void {
  open.delete(closable);
  if (open.size === 0) process.off('exit', closeAll);
}

function closeAll(): void {
  for (const closable of open) closable.close();
}
