// Signal handlers. SIGHUP restarts the service, as `systemctl reload` and administrators expect. But a closed
// terminal sends SIGHUP too, and then the service stops.

import { isatty } from 'node:tty';

export interface SignalActions {
  readonly stop: (signal: NodeJS.Signals) => void;
  readonly restart: (signal: NodeJS.Signals) => void;
  readonly replace: (signal: NodeJS.Signals) => void;
}

/** Returns a function that removes the handlers. */
export function onSignals({ stop, restart, replace }: SignalActions): () => void {
  const terminal = [0, 1, 2].find((fd) => isatty(fd));
  const hangUp = (signal: NodeJS.Signals): void =>
    terminal !== undefined && !isatty(terminal) ? stop(signal) : restart(signal);
  process.on('SIGTERM', stop).on('SIGINT', stop).on('SIGHUP', hangUp).on('SIGUSR2', replace);
  return () => {
    process.off('SIGTERM', stop).off('SIGINT', stop).off('SIGHUP', hangUp).off('SIGUSR2', replace);
  };
}
