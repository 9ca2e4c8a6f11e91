// recvmmsg and sendmmsg through koffi, over header arrays that are prepared once: a call per batch and no
// allocation. Pointers travel as plain numbers (an address has 47 bits), which koffi passes on fastest and
// which makes "from slot k on" an addition. struct mmsghdr and struct iovec are laid out as on all 64-bit
// Linux systems, glibc and musl alike. The slots may be shared between threads; headers belong to one.

import { peerCellBytes, type Family, type Receiver, type SlotMemory, type Transmitter } from '#engine';
import { errnoName, loadLibrary } from '#platform/sockets';

/** struct mmsghdr: msg_name 0, msg_namelen 8, msg_iov 16, msg_iovlen 24, …, msg_len 56. */
const headerBytes = 64;
const nameAt = 0;
const nameLengthAt = 8;
const iovecAt = 16;
const iovecCountAt = 24;
const headerWords = headerBytes / 4;
const lengthWord = 56 / 4;
const iovecBytes = 16;
const iovecWords = iovecBytes / 4;
const iovecLengthWord = 8 / 4;
const sockaddrBytes: Readonly<Record<Family, number>> = { ipv4: 16, ipv6: 28 };

const MSG_DONTWAIT = 0x40;
const EINTR = 4;
const EAGAIN = 11;
const ENOBUFS = 105;
/** One that is interrupted this often has something else wrong with it. */
const maxInterruptions = 8;

export interface MmsgCalls {
  /** 0 when nothing waits. */
  recvmmsg(fd: number, headers: number, count: number, flags: number, timeout: number): number;
  sendmmsg(fd: number, headers: number, count: number, flags: number): number;
  errno(): number;
  address(memory: Uint8Array): number;
}

export function loadMmsg(): MmsgCalls | undefined {
  const loaded = loadLibrary();
  if (loaded === undefined) return undefined;
  const { koffi, library } = loaded;
  return {
    recvmmsg: library.func('int recvmmsg(int, uintptr_t, unsigned int, int, uintptr_t)'),
    sendmmsg: library.func('int sendmmsg(int, uintptr_t, unsigned int, int)'),
    errno: () => koffi.errno(),
    address: (memory) => Number(koffi.address(memory)),
  };
}

/** The headers of all slots, in buffers of their own, which the collector never moves. */
class Headers {
  readonly words: Uint32Array;
  readonly lengths: Uint32Array;
  readonly start: number;
  /** Kept so that neither is collected while the system has their addresses. */
  readonly memory: SlotMemory;

  constructor(calls: MmsgCalls, memory: SlotMemory, family: Family) {
    const headers = new ArrayBuffer(memory.slots * headerBytes);
    const iovecs = new ArrayBuffer(memory.slots * iovecBytes);
    this.words = new Uint32Array(headers);
    this.lengths = new Uint32Array(iovecs);
    this.memory = memory;
    this.start = calls.address(new Uint8Array(headers));
    const at = {
      iovec: calls.address(new Uint8Array(iovecs)),
      bytes: calls.address(memory.bytes),
      peers: memory.peers && calls.address(memory.peers),
    };
    for (let slot = 0; slot < memory.slots; slot += 1) {
      fillHeader(new DataView(headers, slot * headerBytes), slot, at, sockaddrBytes[family]);
      const iovec = new DataView(iovecs, slot * iovecBytes);
      iovec.setBigUint64(0, BigInt(at.bytes + slot * memory.slotBytes), true);
      iovec.setBigUint64(8, BigInt(memory.slotBytes), true);
    }
  }
}

interface Addresses {
  readonly iovec: number;
  readonly peers: number | undefined;
}

function fillHeader(header: DataView, slot: number, at: Addresses, nameBytes: number): void {
  if (at.peers !== undefined) {
    header.setBigUint64(nameAt, BigInt(at.peers + slot * peerCellBytes), true);
    header.setUint32(nameLengthAt, nameBytes, true);
  }
  header.setBigUint64(iovecAt, BigInt(at.iovec + slot * iovecBytes), true);
  header.setBigUint64(iovecCountAt, 1n, true);
}

export class MmsgReceiver implements Receiver {
  problem = '';
  readonly #calls: MmsgCalls;
  readonly #headers: Headers;

  constructor(calls: MmsgCalls, memory: SlotMemory, family: Family) {
    this.#calls = calls;
    this.#headers = new Headers(calls, memory, family);
  }

  receive(fd: number, first: number, count: number): number {
    const { start, words, memory } = this.#headers;
    const received = this.#call(fd, start + first * headerBytes, count);
    for (let slot = first; slot < first + received; slot += 1) {
      memory.lengths[slot] = words[slot * headerWords + lengthWord] ?? 0;
    }
    return received;
  }

  #call(fd: number, headers: number, count: number): number {
    for (let attempt = 0; attempt < maxInterruptions; attempt += 1) {
      const received = this.#calls.recvmmsg(fd, headers, count, MSG_DONTWAIT, 0);
      if (received >= 0) return received;
      const errno = this.#calls.errno();
      if (errno === EAGAIN) return 0;
      if (errno !== EINTR) {
        this.problem = errnoName(errno);
        return -1;
      }
    }
    return 0;
  }
}

export class MmsgTransmitter implements Transmitter {
  problem = '';
  readonly #calls: MmsgCalls;
  readonly #headers: Headers;

  constructor(calls: MmsgCalls, memory: SlotMemory, family: Family) {
    this.#calls = calls;
    this.#headers = new Headers(calls, memory, family);
  }

  send(fd: number, count: number): number {
    const { lengths, memory } = this.#headers;
    this.problem = '';
    for (let slot = 0; slot < count; slot += 1) {
      lengths[slot * iovecWords + iovecLengthWord] = memory.lengths[slot] ?? 0;
    }
    const gone = this.#call(fd, 0, count);
    return gone === count ? count : this.#sendRest(fd, gone, count);
  }

  /**
   * A call that stops short has met an error with the next datagram and tells it only when that one comes
   * first. Without room for one there is none for the others; any other error concerns this datagram alone,
   * or an earlier one (ECONNREFUSED of a connected socket), which is why it is tried once more.
   */
  #sendRest(fd: number, first: number, count: number): number {
    let [gone, sent, next, again] = [first, 0, 0, false];
    for (let calls = 0; calls < 2 * count + maxInterruptions; calls += 1) {
      if (gone > 0) {
        sent += gone;
        next += gone;
        again = false;
      } else {
        const errno = this.#calls.errno();
        if (errno !== EINTR) this.problem = errnoName(errno);
        if (errno === EAGAIN || errno === ENOBUFS) break;
        if (again) next += 1;
        again = !again;
      }
      if (next >= count) break;
      gone = this.#call(fd, next, count - next);
    }
    return sent;
  }

  #call(fd: number, first: number, count: number): number {
    return this.#calls.sendmmsg(fd, this.#headers.start + first * headerBytes, count, 0);
  }
}
