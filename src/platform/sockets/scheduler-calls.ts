// The scheduling calls of sched(7), of which Node has only the nice value. They apply to the calling thread
// (number 0), or to another thread of the process. A short-lived thread does not call them itself, because
// koffi must not be loaded in a thread that may be ended at any moment (threads/native-loads.ts): the thread
// that started it does.

import { loadLibrary } from './libc.ts';

export interface SchedulerCalls {
  /** SCHED_IDLE for that thread: all others run first, without delay. False when the system refuses. */
  readonly onlyWhenIdle: (thread: number) => boolean;
  /** Back to SCHED_OTHER, which needs a right; without it the thread stays idle. */
  readonly idleNoMore: (thread: number) => boolean;
  /**
   * SCHED_RR at its lowest level: runs before normal threads, without delay. Threads that it starts are
   * normal.
   */
  readonly setRealtime: () => boolean;
  /** SCHED_OTHER, the default; needs no right. */
  readonly setNormal: () => boolean;
}

const SCHED_OTHER = 0;
const SCHED_RR = 2;
const SCHED_IDLE = 5;
const SCHED_RESET_ON_FORK = 0x40000000;

/** Undefined without koffi or on other systems than Linux. */
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
    // The flag stays set: clearing it needs CAP_SYS_NICE, which LimitRTPRIO= does not grant.
    setNormal: () => set(0, SCHED_OTHER | SCHED_RESET_ON_FORK, Int32Array.of(0)) === 0,
  };
}
