// Queries the kernel by netlink, through koffi. The kernel writes the replies while it handles the request,
// so they are available when `send` returns: nothing blocks. A socket is opened for each request, which takes
// three microseconds more than keeping one and leaves nothing behind when a thread dies.

import { loadLibrary } from '../sockets/libc.ts';
import { SOCK_CLOEXEC, SOCK_NONBLOCK } from '../sockets/linux-constants.ts';
import { readMessages, type NetlinkMessage } from './netlink-messages.ts';

export interface Netlink {
  /**
   * Sends requests one after the other on one socket: `next` gets each reply and returns the next request.
   */
  exchange(request: Uint8Array, next: (message: NetlinkMessage | undefined) => Uint8Array | undefined): void;
  /** All messages of the reply to a request for a list, up to this many. */
  list(request: Uint8Array, most: number): readonly NetlinkMessage[];
  /** Undefined when the interface does not exist any more. */
  interfaceName(index: number): string | undefined;
}

const AF_NETLINK = 16;
const SOCK_RAW = 3;
const NETLINK_ROUTE = 0;
const MSG_DONTWAIT = 0x40;
/** The kernel sends at most this much in one datagram if the buffer has room. */
const datagramBytes = 32_768;
const maxDatagrams = 1024;
const maxQuestions = 64;
/** IF_NAMESIZE */
const nameBytes = 16;

/** Undefined without koffi or on other systems than Linux. */
export function loadNetlink(): Netlink | undefined {
  const loaded = loadLibrary();
  if (loaded === undefined) return undefined;
  const { library } = loaded;
  const calls: Calls = {
    socket: library.func('int socket(int, int, int)'),
    send: library.func('intptr_t send(int, void *, size_t, int)'),
    recv: library.func('intptr_t recv(int, void *, size_t, int)'),
    close: library.func('int close(int)'),
  };
  const indexToName: (index: number, name: Uint8Array) => number | bigint = library.func(
    'uintptr_t if_indextoname(uint32_t, void *)',
  );
  return {
    exchange: (request, next) => exchange(calls, request, next),
    list: (request, most) => list(calls, request, most),
    interfaceName(index) {
      const name = Buffer.alloc(nameBytes);
      return Number(indexToName(index, name)) === 0
        ? undefined
        : name.toString('utf8', 0, name.indexOf(0) < 0 ? nameBytes : name.indexOf(0));
    },
  };
}

interface Calls {
  socket(family: number, kind: number, protocol: number): number;
  send(fd: number, bytes: Uint8Array, length: number, flags: number): number | bigint;
  recv(fd: number, bytes: Uint8Array, length: number, flags: number): number | bigint;
  close(fd: number): number;
}

function exchange(
  calls: Calls,
  first: Uint8Array,
  next: (message: NetlinkMessage | undefined) => Uint8Array | undefined,
): void {
  withSocket(calls, (fd) => {
    const buffer = new Uint8Array(1024);
    let request: Uint8Array | undefined = first;
    for (let asked = 0; request !== undefined && asked < maxQuestions; asked++) {
      calls.send(fd, request, request.length, MSG_DONTWAIT);
      request = next(receive(calls, fd, buffer)[0]);
    }
  });
}

function list(calls: Calls, request: Uint8Array, most: number): readonly NetlinkMessage[] {
  const all: NetlinkMessage[] = [];
  withSocket(calls, (fd) => {
    const buffer = new Uint8Array(datagramBytes);
    calls.send(fd, request, request.length, MSG_DONTWAIT);
    for (let read = 0; read < maxDatagrams && all.length < most; read++) {
      const messages = receive(calls, fd, buffer);
      all.push(...messages.filter(({ kind }) => kind !== 'end').slice(0, most - all.length));
      if (messages.length === 0 || messages.at(-1)?.kind === 'end') return;
    }
  });
  return all;
}

function withSocket(calls: Calls, work: (fd: number) => void): void {
  const fd = calls.socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  if (fd < 0) return;
  try {
    work(fd);
  } finally {
    calls.close(fd);
  }
}

/**
 * Empty when no message is there or the call failed: the caller then knows nothing, which is a valid result.
 */
function receive(calls: Calls, fd: number, buffer: Uint8Array): readonly NetlinkMessage[] {
  const length = Number(calls.recv(fd, buffer, buffer.length, MSG_DONTWAIT));
  return length <= 0 ? [] : readMessages(buffer.subarray(0, length));
}
