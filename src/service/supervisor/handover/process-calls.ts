// The calls of the C library by which a process keeps its place while another takes over its work: a pipe
// that outlives an exec, a number that an exec does not close, being the parent of orphans below it, and what
// signals do by themselves.

import { loadLibrary } from '#platform/sockets';

export interface ProcessCalls {
  /** Both ends close-on-exec: whoever is to have one is given it. */
  readonly pipe: () => { readonly read: number; readonly write: number } | undefined;
  /** Makes `onto` mean what `fd` means, and lets an exec keep it. */
  readonly keepAs: (fd: number, onto: number) => boolean;
  /** Processes below this one that lose their parent become its children; holds over an exec. */
  readonly adoptOrphans: () => boolean;
  /** The signal ends this process from now on; what Node has heard of before, it still tells. */
  readonly dieOf: (signal: number) => void;
  /** The main thread gets these signals no more; what comes waits, also over an exec. */
  readonly block: (signals: readonly number[]) => void;
}

const O_CLOEXEC = 0o2000000;
const PR_SET_CHILD_SUBREAPER = 36;
const SIG_BLOCK = 0;
/** glibc's; musl's is the same. */
const sigsetBytes = 128;

type Call<Arguments extends unknown[]> = (...given: Arguments) => number;

/** Nothing where koffi or Linux is missing. */
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
