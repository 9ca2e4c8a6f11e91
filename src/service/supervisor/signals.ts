// What signals ask for. SIGHUP restarts, as `systemctl reload` and administrators mean it; but a terminal
// that is closed sends it too, and then nobody is left who would want the service to go on.

import { isatty } from 'node:tty';

export interface SignalActions {
  readonly stop: (signal: NodeJS.Signals) => void;
  readonly restart: (signal: NodeJS.Signals) => void;
  readonly replace: (signal: NodeJS.Signals) => void;
}

/** Gives the way to let go of them. */
export function onSignals({ stop, restart, replace }: SignalActions): () => void {
  const terminal = [0, 1, 2].find((fd) => isatty(fd));
  const hangUp = (signal: NodeJS.Signals): void =>
    terminal !== undefined && !isatty(terminal) ? stop(signal) : restart(signal);
  process.on('SIGTERM', stop).on('SIGINT', stop).on('SIGHUP', hangUp).on('SIGUSR2', replace);
  return () => {
    process.off('SIGTERM', stop).off('SIGINT', stop).off('SIGHUP', hangUp).off('SIGUSR2', replace);
  };
}
