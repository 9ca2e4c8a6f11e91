// The door of sockets: listeners that main opens and other threads use, and the lock of the data folder.

export { bindProblem, bindReason, cannotListen } from './bind-problem.ts';
export { bindSocket } from './bind-socket.ts';
export { connectionsWithin } from './descriptor-limit.ts';
export type { DnsListening, DnsSocket } from './dns-socket.ts';
export { DnsSockets } from './dns-sockets.ts';
export { inheritLock, lockFolder, writeHolder } from './folder-lock.ts';
export { freeDnsPort } from './free-dns-port.ts';
export { type Interfaces, ipv4First, readInterfaces } from './interfaces.ts';
export { errnoName, type Libc, loadLibc, loadLibrary, type Outcome } from './libc.ts';
export { AF_INET, AF_INET6, AF_UNIX, SO_REUSEADDR, SOCK_DGRAM, SOL_SOCKET } from './linux-constants.ts';
export {
  defaultBacklog,
  type Listener,
  type Opened,
  type TcpListener,
  type UnixListener,
} from './listener.ts';
export type { ClosedListener, Listening, OpenListener } from './listening.ts';
export type { FolderLock, FolderLocked, LockHolder } from './lock-holder.ts';
export { openTcpPlain } from './plain-tcp.ts';
export { openUnixPlain } from './plain-unix.ts';
export { findPortHolders, type HolderQuestion, type PortHolder } from './port-holder.ts';
export { loadSchedulerCalls, type SchedulerCalls } from './scheduler-calls.ts';
export { attach } from './serve-on.ts';
export { decodeSockaddr, encodeSockaddr } from './sockaddr.ts';
export { channelBufferBytes, listenerBufferBytes, setBuffers } from './socket-buffers.ts';
export { systemCode } from './system-code.ts';
export { revokeCopy, revokeDatagramCopy } from './revoke-copy.ts';
export { openTcp } from './tcp-listeners.ts';
export { openUnix } from './unix-listener.ts';
