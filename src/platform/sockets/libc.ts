// The few calls of the C library that Node does not offer: creating a listening socket as a bare descriptor,
// copying it, and locking a file. Each call returns a value, with the errno already turned into its name,
// because failures of these calls are normal. koffi is loaded on demand and never at import: without it, or
// on a system other than Linux, `loadLibc` returns `undefined` and the program uses node:net only.

import type * as Koffi from 'koffi';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { mayLoad } from '../threads/native-loads.ts';
import { F_DUPFD_CLOEXEC, O_CLOEXEC, SOCK_CLOEXEC, SOCK_NONBLOCK } from './linux-constants.ts';

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: string };

export interface Libc {
  /** Always close-on-exec and non-blocking. */
  socket(family: number, kind: number): Outcome<number>;
  setsockopt(fd: number, level: number, option: number, value: number): Outcome<number>;
  bind(fd: number, sockaddr: Uint8Array): Outcome<number>;
  connect(fd: number, sockaddr: Uint8Array): Outcome<number>;
  listen(fd: number, backlog: number): Outcome<number>;
  getsockname(fd: number): Outcome<Uint8Array>;
  /** A close-on-exec copy that shares the socket, and so the accept queue, with the original. */
  dup(fd: number): Outcome<number>;
  /** Makes the number `onto` refer to what `fd` refers to, close-on-exec; its previous target is closed. */
  dup3(fd: number, onto: number): Outcome<number>;
  close(fd: number): Outcome<number>;
  flock(fd: number, operation: number): Outcome<number>;
  interfaceIndex(name: string): Outcome<number>;
}

const libraryNames = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1'];

/** sizeof(struct sockaddr_storage): room for an address of any family. */
const sockaddrStorageBytes = 128;

/** Where two names share a number (EAGAIN and EWOULDBLOCK) the one that node:os lists first is used. */
const errnoNames = new Map(
  Object.entries(constants.errno)
    .map(([name, number]) => [number, name] as const)
    .reverse(),
);

export interface LoadedLibrary {
  readonly koffi: typeof Koffi;
  readonly library: Koffi.LibraryHandle;
}

export function loadLibc(): Libc | undefined {
  const loaded = loadLibrary();
  return loaded && bindCalls(loaded.koffi, loaded.library);
}

export function loadLibrary(): LoadedLibrary | undefined {
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) return undefined;
  if (!mayLoad()) return undefined;
  const koffi = requireKoffi();
  const library = koffi && openLibrary(koffi);
  return koffi && library && { koffi, library };
}

function requireKoffi(): typeof Koffi | undefined {
  try {
    return createRequire(import.meta.url)('koffi');
  } catch {
    return undefined;
  }
}

function openLibrary(koffi: typeof Koffi): Koffi.LibraryHandle | undefined {
  for (const name of libraryNames) {
    try {
      return koffi.load(name);
    } catch {
      // Not this C library: try the next name.
    }
  }
  return undefined;
}

type Call<Arguments extends unknown[]> = (...given: Arguments) => number;

function bindCalls(koffi: typeof Koffi, library: Koffi.LibraryHandle): Libc {
  const socket: Call<[number, number, number]> = library.func('int socket(int, int, int)');
  const setsockopt: Call<[number, number, number, Int32Array, number]> = library.func(
    'int setsockopt(int, int, int, void *, uint32_t)',
  );
  const bind: Call<[number, Uint8Array, number]> = library.func('int bind(int, void *, uint32_t)');
  const connect: Call<[number, Uint8Array, number]> = library.func('int connect(int, void *, uint32_t)');
  const listen: Call<[number, number]> = library.func('int listen(int, int)');
  const getsockname: Call<[number, Uint8Array, Uint32Array]> = library.func(
    'int getsockname(int, void *, void *)',
  );
  const fcntl: Call<[number, number, 'int', number]> = library.func('int fcntl(int, int, ...)');
  const dup3: Call<[number, number, number]> = library.func('int dup3(int, int, int)');
  const close: Call<[number]> = library.func('int close(int)');
  const flock: Call<[number, number]> = library.func('int flock(int, int)');
  const ifNameToIndex: Call<[string]> = library.func('uint32_t if_nametoindex(const char *)');

  // Read errno at once: anything that the runtime does in between may change it.
  const failure = () => ({ ok: false, code: errnoName(koffi.errno()) }) as const;
  const outcome = (result: number): Outcome<number> => (result < 0 ? failure() : { ok: true, value: result });

  return {
    socket: (family, kind) => outcome(socket(family, kind | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
    setsockopt: (fd, level, option, value) => outcome(setsockopt(fd, level, option, Int32Array.of(value), 4)),
    bind: (fd, sockaddr) => outcome(bind(fd, sockaddr, sockaddr.byteLength)),
    connect: (fd, sockaddr) => outcome(connect(fd, sockaddr, sockaddr.byteLength)),
    listen: (fd, backlog) => outcome(listen(fd, backlog)),
    getsockname(fd) {
      const sockaddr = new Uint8Array(sockaddrStorageBytes);
      const length = Uint32Array.of(sockaddr.byteLength);
      const result = getsockname(fd, sockaddr, length);
      return result < 0 ? failure() : { ok: true, value: sockaddr.subarray(0, length[0]) };
    },
    dup: (fd) => outcome(fcntl(fd, F_DUPFD_CLOEXEC, 'int', 0)),
    dup3: (fd, onto) => outcome(dup3(fd, onto, O_CLOEXEC)),
    close: (fd) => outcome(close(fd)),
    flock: (fd, operation) => outcome(flock(fd, operation)),
    interfaceIndex(name) {
      const index = ifNameToIndex(name);
      return index === 0 ? failure() : { ok: true, value: index };
    },
  };
}

export function errnoName(errno: number): string {
  return errnoNames.get(errno) ?? `errno ${errno}`;
}
