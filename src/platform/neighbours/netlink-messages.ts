// Encodes and decodes the few rtnetlink messages that the service uses (Linux, rtnetlink(7)): the route to an
// address, the hardware address of a neighbour, and all neighbours. No system calls. Headers are in host byte
// order, which is little-endian on both supported architectures; addresses are in network byte order.
// Truncated parts are skipped.

import { AF_INET, AF_INET6 } from '../sockets/linux-constants.ts';

const headerBytes = 16;
/** struct rtmsg and struct ndmsg are equally long. */
const bodyBytes = 12;
const attributeHeaderBytes = 4;

const RTM_NEWROUTE = 24;
const RTM_GETROUTE = 26;
const RTM_NEWNEIGH = 28;
const RTM_GETNEIGH = 30;
const NLMSG_ERROR = 2;
const NLMSG_DONE = 3;
const NLM_F_REQUEST = 1;
const NLM_F_DUMP = 0x300;

const RTA_DST = 1;
const RTA_OIF = 4;
const RTA_GATEWAY = 5;
const RTA_VIA = 18;
const NDA_DST = 1;
const NDA_LLADDR = 2;
const routeTypeAt = 7;
const RTN_UNICAST = 1;
const macBytes = 6;
/** Limit for the attributes of one message. */
const maxAttributes = 64;

/** The route to an address. */
interface Route {
  readonly kind: 'route';
  readonly interfaceIndex: number;
  /** A neighbour: not behind a router, and not this machine. */
  readonly isOnLink: boolean;
}

interface Neighbour {
  readonly kind: 'neighbour';
  /** 16 bytes, IPv4 as ::ffff:a.b.c.d. */
  readonly address: Uint8Array;
  /** In lower case with colons; undefined while the kernel does not know it. */
  readonly mac: string | undefined;
  readonly interfaceIndex: number;
}

export type NetlinkMessage =
  | Route
  | Neighbour
  /** The end of a list, or a failed request (then `code` is not 0). */
  | { readonly kind: 'end'; readonly code: number };

/** `address`: 16 bytes, IPv4 as ::ffff:a.b.c.d. */
export function routeRequest(address: Uint8Array): Uint8Array {
  const bytes = addressBytes(address);
  const message = request(RTM_GETROUTE, NLM_F_REQUEST, RTA_DST, bytes);
  message[headerBytes + 1] = bytes.length * 8;
  return message;
}

/** Linux supports it for a single neighbour since 5.0. */
export function neighbourRequest(address: Uint8Array, interfaceIndex: number): Uint8Array {
  const message = request(RTM_GETNEIGH, NLM_F_REQUEST, NDA_DST, addressBytes(address));
  viewOf(message).setInt32(headerBytes + 4, interfaceIndex, true);
  return message;
}

export function neighboursRequest(family: 'ipv4' | 'ipv6'): Uint8Array {
  const message = new Uint8Array(headerBytes + bodyBytes);
  writeHeader(message, RTM_GETNEIGH, NLM_F_REQUEST | NLM_F_DUMP);
  message[headerBytes] = family === 'ipv4' ? AF_INET : AF_INET6;
  return message;
}

/** The messages in one datagram of the kernel. */
export function readMessages(bytes: Uint8Array): readonly NetlinkMessage[] {
  const found: NetlinkMessage[] = [];
  const view = viewOf(bytes);
  for (let at = 0; at + headerBytes <= bytes.length;) {
    const length = view.getUint32(at, true);
    if (length < headerBytes || at + length > bytes.length) break;
    const message = readMessage(view.getUint16(at + 4, true), bytes.subarray(at + headerBytes, at + length));
    if (message !== undefined) found.push(message);
    at += aligned(length);
  }
  return found;
}

function readMessage(type: number, body: Uint8Array): NetlinkMessage | undefined {
  if (type === NLMSG_DONE) return { kind: 'end', code: 0 };
  if (type === NLMSG_ERROR)
    return { kind: 'end', code: body.length < 4 ? 0 : -viewOf(body).getInt32(0, true) };
  if (body.length < bodyBytes) return undefined;
  if (type === RTM_NEWROUTE) return readRoute(body);
  return type === RTM_NEWNEIGH ? readNeighbour(body) : undefined;
}

function readRoute(body: Uint8Array): Route | undefined {
  const attributes = readAttributes(body);
  const output = attributes.get(RTA_OIF);
  if (output?.length !== 4) return undefined;
  const isDirect = !attributes.has(RTA_GATEWAY) && !attributes.has(RTA_VIA);
  return {
    kind: 'route',
    interfaceIndex: viewOf(output).getUint32(0, true),
    isOnLink: isDirect && body[routeTypeAt] === RTN_UNICAST,
  };
}

function readNeighbour(body: Uint8Array): Neighbour | undefined {
  const attributes = readAttributes(body);
  const address = mapped(attributes.get(NDA_DST));
  if (address === undefined) return undefined;
  return {
    kind: 'neighbour',
    address,
    mac: macText(attributes.get(NDA_LLADDR)),
    interfaceIndex: viewOf(body).getInt32(4, true),
  };
}

function readAttributes(body: Uint8Array): ReadonlyMap<number, Uint8Array> {
  const found = new Map<number, Uint8Array>();
  const view = viewOf(body);
  for (let at = bodyBytes; at + attributeHeaderBytes <= body.length && found.size < maxAttributes;) {
    const length = view.getUint16(at, true);
    if (length < attributeHeaderBytes || at + length > body.length) break;
    found.set(view.getUint16(at + 2, true), body.subarray(at + attributeHeaderBytes, at + length));
    at += aligned(length);
  }
  return found;
}

/** Interfaces without hardware addresses, such as tunnels, have other lengths or zeros. */
function macText(bytes: Uint8Array | undefined): string | undefined {
  if (bytes?.length !== macBytes || bytes.every((byte) => byte === 0)) return undefined;
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(':');
}

function request(type: number, flags: number, attribute: number, address: Uint8Array): Uint8Array {
  const attributeAt = headerBytes + bodyBytes;
  const message = new Uint8Array(attributeAt + attributeHeaderBytes + address.length);
  writeHeader(message, type, flags);
  message[headerBytes] = address.length === 4 ? AF_INET : AF_INET6;
  const view = viewOf(message);
  view.setUint16(attributeAt, attributeHeaderBytes + address.length, true);
  view.setUint16(attributeAt + 2, attribute, true);
  message.set(address, attributeAt + attributeHeaderBytes);
  return message;
}

function writeHeader(message: Uint8Array, type: number, flags: number): void {
  const view = viewOf(message);
  view.setUint32(0, message.length, true);
  view.setUint16(4, type, true);
  view.setUint16(6, flags, true);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function aligned(length: number): number {
  return (length + 3) & ~3;
}

const mappedHead = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/** 4 bytes of an IPv4 address, or the 16 of an IPv6 one. */
function addressBytes(address: Uint8Array): Uint8Array {
  return mappedHead.every((byte, at) => byte === address[at]) ? address.subarray(12) : address;
}

function mapped(address: Uint8Array | undefined): Uint8Array | undefined {
  if (address?.length === 4) return Uint8Array.from([...mappedHead, ...address]);
  return address?.length === 16 ? address.slice() : undefined;
}
