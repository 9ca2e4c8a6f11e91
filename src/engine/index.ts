// The door of the engine: a query in, an answer out. What starts it comes in here and nowhere else.

export type { Answerer, Asker, LocalAddress } from './asker.ts';
export { later } from './asker.ts';
export type { Datagrams, Family, Receiver, SlotMemory, Transmitter } from './net/datagrams.ts';
export { makeSlots, peerCellBytes } from './net/datagrams.ts';
export { Engine } from './engine.ts';
export { unknownTraits, type FoundTraits, type Identify } from './clients/identity.ts';
export { lookUpName, type NameOutcome } from './clients/reverse-lookup.ts';
export { RowTable } from './clients/row-table.ts';
export type { EngineOptions } from './options.ts';
export { countersBytes, readCounters, type CounterName } from './record/counters.ts';
export { RecordWord } from './record/layout.ts';
export { makeRecordRing, RecordReader, RecordWriter } from './record/record-ring.ts';
export { Ticker } from './ticker.ts';
export { createForwarder } from './upstream/forwarder.ts';
export { noForwarder } from './upstream/no-forwarder.ts';
export type { DomainRoute, ForwarderOptions, ReverseRoute } from './upstream/options.ts';
export { batchedUdpChannels } from './net/batched-udp-channel.ts';
export type { OpenUdpChannel, UdpChannel, UdpChannelEvents } from './net/udp-channel.ts';
export { openPlainUdpChannel } from './net/plain-udp-channel.ts';
export { Outgoing } from './net/outgoing.ts';
export { ipBytes } from './net/ip-bytes.ts';
export { reportReply, reportStreamQuery, type Culprit } from './listen/culprit.ts';
export { acquit, BlackBox, head as blackBoxHead, makeBlackBox } from './listen/black-box.ts';
export { StreamLimits } from './listen/stream-limits.ts';
export { StreamListener } from './listen/tcp-listener.ts';
export { UdpListener } from './listen/udp-listener.ts';
export { Explanation, type AskedOutcome } from './explain/explanation.ts';
export type {
  AnswerLook,
  CacheLook,
  ClientLook,
  Explained,
  Inquiry,
  Judged,
  LocalLook,
  MetRule,
  Target,
  UpstreamLook,
} from './explain/explained.ts';
export type { ForwardOutcome, Question } from './upstream/forwarding.ts';
