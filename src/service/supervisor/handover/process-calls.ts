// Calls of the C library for the launcher: pipes, descriptors that survive an exec, adopting orphaned
// processes, and the default action and blocking of signals.

import { loadLibrary } from '#platform/sockets';

export interface ProcessCalls {
  /** Both ends are close-on-exec. */
  readonly pipe: () => { readonly read: number; readonly write: number } | undefined;
  /** Duplicates `fd` as `onto`, which stays open over an exec. */
  readonly keepAs: (fd: number, onto: number) => boolean;
  /** Descendants that lose their parent become children of this process; also after an exec. */
  readonly adoptOrphans: () => boolean;
  /** From now on the signal ends this process; Node still delivers signals that came before. */
  readonly dieOf: (signal: number) => void;
  /** Blocks these signals in the main thread; they stay pending, also over an exec. */
  readonly block: (signals: readonly number[]) => void;
}

const O_CLOEXEC = 0o2000000;
const PR_SET_CHILD_SUBREAPER = 36;
const SIG_BLOCK = 0;
/** glibc's; musl's is the same. */
const sigsetBytes = 128;

type Call<Arguments extends unknown[]> = (...given: Arguments) => number;

/** Undefined without koffi or Linux. */
export function loadProcessCalls(): ProcessCalls | undefined {
  const loaded = loadLibrary();
  if (loaded === undefined) return undefined;
  const { library } = loaded;
  const pipe2: Call<[Int32Array, number]> = library.func('int pipe2(void *, int)');
  const dup2: Call<[number, number]> = library.func('int dup2(int, int)');
  const prctl: Call<[number, 'unsigned long', number]> = library.func('int prctl(int, ...)');
  const signal: (number: number, handler: null) => unknown = library.func('void *signal(int, void *)');
  const sigemptyset: Call<[Uint8Array]> = library.func('int sigemptyset(void *)');
  const sigaddset: Call<[Uint8Array, number]> = library.func('int sigaddset(void *, int)');
  const sigprocmask: Call<[number, Uint8Array, null]> = library.func('int sigprocmask(int, void *, void *)');
  return {
    pipe: () => {
      const ends = new Int32Array(2);
      const [read = -1, write = -1] = pipe2(ends, O_CLOEXEC) < 0 ? [] : ends;
      return read < 0 ? undefined : { read, write };
    },
    keepAs: (fd, onto) => dup2(fd, onto) === onto,
    adoptOrphans: () => prctl(PR_SET_CHILD_SUBREAPER, 'unsigned long', 1) === 0,
    dieOf: (number) => void signal(number, null),
    block: (signals) => {
      const set = new Uint8Array(sigsetBytes);
      sigemptyset(set);
      for (const number of signals) sigaddset(set, number);
      sigprocmask(SIG_BLOCK, set, null);
    },
  };
}
