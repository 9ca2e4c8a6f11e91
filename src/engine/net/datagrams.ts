// What the engine asks of the system for UDP by batches: many datagrams with one call, in memory that stays
// where it is. The engine makes no system call itself: these are passed in. Without them the same listeners
// and channels use node:dgram, one datagram at a time.

export type Family = 'ipv4' | 'ipv6';

/** Datagrams that are received or sent with one call. */
export const batchSlots = 64;

/** Room for one socket address (16 bytes for IPv4, 28 for IPv6), aligned. */
export const peerCellBytes = 32;

/**
 * Longer queries than this are cut off, and so unreadable: far above what clients send, EDNS options
 * included. An odd number of cache lines here and below, or the beginnings of the slots would share few
 * places in the cache.
 */
export const inboxSlotBytes = 25 * 64;

/** Our answers over UDP stay within 1232 bytes, which crosses every path unfragmented. */
export const outboxSlotBytes = 21 * 64;

/** One datagram per slot. Never moved or resized, for the system keeps its address. */
export interface SlotMemory {
  readonly bytes: Uint8Array;
  readonly slotBytes: number;
  readonly slots: number;
  readonly lengths: Int32Array;
  /** The other side's socket address of each slot, in cells; none where the socket is connected. */
  readonly peers: Uint8Array | undefined;
}

export interface Receiver {
  /**
   * Takes up to `count` waiting datagrams into the slots from `first` on, with lengths and peers, and says
   * how many came; 0 when none waits, -1 when the system reports an error, which then stands in `problem`.
   */
  receive(fd: number, first: number, count: number): number;
  readonly problem: string;
}

export interface Transmitter {
  /**
   * Sends the first `count` slots and says how many went. What the system has no room for is dropped; what
   * it refuses is left out, and the rest is sent. `problem` is the last refusal of this call, or empty.
   */
  send(fd: number, count: number): number;
  readonly problem: string;
}

type Made = { readonly ok: true; readonly fd: number } | { readonly ok: false; readonly code: string };

export interface Datagrams {
  receiver(memory: SlotMemory, family: Family): Receiver;
  transmitter(memory: SlotMemory, family: Family): Transmitter;
  /** A socket with a random port of its own that knows this peer only; the address may have a zone. */
  connect(address: string, port: number): Made;
  /** Another descriptor of the same socket. */
  copy(fd: number): Made;
  /** For a descriptor that has no other owner. */
  close(fd: number): void;
}

export function makeSlots(slots: number, slotBytes: number, withPeers: boolean): SlotMemory {
  return {
    bytes: new Uint8Array(new ArrayBuffer(slots * slotBytes)),
    slotBytes,
    slots,
    lengths: new Int32Array(new ArrayBuffer(slots * 4)),
    peers: withPeers ? new Uint8Array(new ArrayBuffer(slots * peerCellBytes)) : undefined,
  };
}
