// The door of the engine: a query in, an answer out. Other rooms import from here only.

export { addressKind, AddressKind, embeddedIpv4 } from './net/address-kind.ts';
export type { Answerer, QuerySource, LocalAddress } from './query-source.ts';
export { later } from './query-source.ts';
export type { Datagrams, Family, Receiver, SlotMemory, Transmitter } from './net/datagrams.ts';
export { makeSlots, peerCellBytes } from './net/datagrams.ts';
export { Census } from './cache/census.ts';
export { Engine } from './engine.ts';
export { unknownTraits, type FoundTraits } from './clients/identity.ts';
export { lookUpName, type NameOutcome } from './clients/reverse-lookup.ts';
export { RowTable } from './clients/row-table.ts';
export type { EngineOptions } from './options.ts';
export { Counter, costlyRuleCount, countersBytes } from './record/counters.ts';
export { readFigures, readUpstreamNames, type DnsFigures } from './record/figures.ts';
export { Origin, reasonNumbers, RecordFlag, recordHeaderBytes, RecordWord } from './record/layout.ts';
export { makeRecordRing, RecordReader, RecordWriter } from './record/record-ring.ts';
export { Publisher } from './publisher.ts';
export { Ticker } from './ticker.ts';
export { transports } from './transport.ts';
export { createForwarder, portsUsual } from './upstream/forwarder.ts';
export { noForwarder } from './upstream/no-forwarder.ts';
export type { DomainRoute, ForwarderOptions, ReverseRoute } from './upstream/options.ts';
export { batchedUdpChannels } from './net/batched-udp-channel.ts';
export type { OpenUdpChannel, UdpChannel, UdpChannelEvents } from './net/udp-channel.ts';
export { openPlainUdpChannel } from './net/plain-udp-channel.ts';
export { Outgoing } from './net/outgoing.ts';
export { reportReply, reportStreamQuery, type Culprit } from './listen/culprit.ts';
export {
  acquit,
  BlackBox,
  dropHeld,
  head as blackBoxHead,
  makeBlackBox,
  positionIn,
} from './net/black-box.ts';
export { StreamLimits } from './listen/stream-limits.ts';
export { StreamListener } from './listen/tcp-listener.ts';
export { UdpListener } from './listen/udp-listener.ts';
export { Explanation, type UpstreamOutcome } from './explain/explanation.ts';
export type { ExplainedAnswer, Explained, Inquiry, MetRule } from './explain/explained.ts';
export type { Question } from './upstream/forwarding.ts';
