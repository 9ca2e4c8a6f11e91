// The calls by which a thread tells the kernel's scheduler what it needs, for which Node has only the nice
// value. They hold for the calling thread, which is what number 0 means to them.

import { loadLibrary } from './libc.ts';

export interface SchedulerCalls {
  /** sched(7), SCHED_IDLE: everybody else goes first, and at once. False when the system refuses. */
  readonly onlyWhenIdle: () => boolean;
  /** sched_setattr(2) with a runtime of its own, and the nice value that the thread has already. */
  readonly turnsOf: (nanoseconds: number, nice: number) => boolean;
}

const SCHED_OTHER = 0;
const SCHED_IDLE = 5;
const schedSetattr: ReadonlyMap<string, number> = new Map([
  ['x64', 314],
  ['arm64', 274],
]);
/** struct sched_attr as it was first published. */
const attributeBytes = 48;

/** Nothing where koffi or Linux is missing. */
export const loadSchedulerCalls = (): SchedulerCalls | undefined => {
  const loaded = loadLibrary();
  const number = schedSetattr.get(process.arch);
  if (loaded === undefined || number === undefined) return undefined;
  const { library } = loaded;
  const setScheduler: (thread: number, policy: number, parameters: Int32Array) => number = library.func(
    'int sched_setscheduler(int, int, void *)',
  );
  // glibc has no name for it before 2.41.
  const call: (...given: unknown[]) => number = library.func('long syscall(long, ...)');
  return {
    onlyWhenIdle: () => setScheduler(0, SCHED_IDLE, new Int32Array(1)) === 0,
    turnsOf: (nanoseconds, nice) =>
      call(number, 'int', 0, 'void *', attributes(nanoseconds, nice), 'unsigned int', 0) === 0,
  };
};

const attributes = (runtimeNs: number, nice: number): Uint8Array => {
  const bytes = new Uint8Array(attributeBytes);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, attributeBytes, true);
  view.setUint32(4, SCHED_OTHER, true);
  view.setInt32(16, nice, true);
  view.setBigUint64(24, BigInt(runtimeNs), true);
  return bytes;
};
