// The calls by which a thread tells the kernel's scheduler what it needs, for which Node has only the nice
// value: sched(7). They hold for the calling thread, which is what number 0 means to them, or for another one
// of the process: one that does not live long is told by whoever started it, because koffi must not be loaded
// where a thread may be ended at any moment (threads/native-loads.ts).

import { loadLibrary } from './libc.ts';

export interface SchedulerCalls {
  /** SCHED_IDLE for that thread: everybody else goes first, and at once. False when the system refuses. */
  readonly onlyWhenIdle: (thread: number) => boolean;
  /** The way back, which takes a right; without it the thread stays as it is. */
  readonly idleNoMore: (thread: number) => boolean;
  /** SCHED_RR at its lowest level: before usual threads, and at once. Those that it starts are usual. */
  readonly setRealtime: () => boolean;
  /** SCHED_OTHER, as threads are when they start; may be asked for without any right. */
  readonly setNormal: () => boolean;
}

const SCHED_OTHER = 0;
const SCHED_RR = 2;
const SCHED_IDLE = 5;
const SCHED_RESET_ON_FORK = 0x40000000;

/** Nothing where koffi or Linux is missing. */
export function loadSchedulerCalls(): SchedulerCalls | undefined {
  const loaded = loadLibrary();
  if (loaded === undefined) return undefined;
  const set: (thread: number, policy: number, level: Int32Array) => number = loaded.library.func(
    'int sched_setscheduler(int, int, void *)',
  );
  return {
    onlyWhenIdle: (thread) => set(thread, SCHED_IDLE, Int32Array.of(0)) === 0,
    idleNoMore: (thread) => set(thread, SCHED_OTHER, Int32Array.of(0)) === 0,
    setRealtime: () => set(0, SCHED_RR | SCHED_RESET_ON_FORK, Int32Array.of(1)) === 0,
    // With the flag still set: taking it away needs CAP_SYS_NICE, which LimitRTPRIO= does not give.
    setNormal: () => set(0, SCHED_OTHER | SCHED_RESET_ON_FORK, Int32Array.of(0)) === 0,
  };
}
