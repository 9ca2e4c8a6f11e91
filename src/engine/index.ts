// The door of the engine: a query in, an answer out. What starts it comes in here and nowhere else.

export type { Answerer, Asker, LocalAddress, Transport } from './asker.ts';
export { later } from './asker.ts';
export { ClientAddress } from './client-address.ts';
export type { Datagrams, Family, Made, Receiver, SlotMemory, Transmitter } from './net/datagrams.ts';
export { batchSlots, makeSlots, peerCellBytes } from './net/datagrams.ts';
export { Outgoing } from './net/outgoing.ts';
export { ipBytes } from './net/ip-bytes.ts';
export type { Culprit, OnCulprit } from './listen/culprit.ts';
export { BlackBox, head as blackBoxHead, makeBlackBox } from './listen/black-box.ts';
export { UdpListener, type UdpListenerOptions } from './listen/udp-listener.ts';
