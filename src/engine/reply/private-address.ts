// Which addresses no public name should lead to: private ones, loopback, link-local and "this host", which
// reach what runs on the client itself. The table of them is in address-kind.ts; here are the records of a
// packet that have such addresses.

import { type RecordCursor, SvcParamCursor, SvcParamKey, Type } from '#wire';
import { addressKind, AddressKind, isZero } from '../net/address-kind.ts';

const service = new SvcParamCursor();

/** Whether the record that the cursor stands on gives such an address away. */
export function isPrivateRecord({ bytes, type, dataAt, dataLength }: RecordCursor): boolean {
  if (type === Type.HTTPS || type === Type.SVCB) return hasPrivateHint(bytes, dataAt, dataLength);
  const isAddress = (type === Type.A && dataLength === 4) || (type === Type.AAAA && dataLength === 16);
  return isAddress && isPrivateAddress(bytes, dataAt, dataLength);
}

/**
 * Whether the data of an HTTPS or SVCB record hints at such an address (RFC 9460 section 7.3), or is
 * malformed: a client may find hints in it that we cannot read.
 */
export function hasPrivateHint(bytes: Uint8Array, dataAt: number, dataLength: number): boolean {
  if (!service.start(bytes, dataAt, dataLength)) return true;
  while (service.next()) {
    const { key, valueAt, valueLength } = service;
    if (key !== SvcParamKey.ipv4hint && key !== SvcParamKey.ipv6hint) continue;
    const size = key === SvcParamKey.ipv4hint ? 4 : 16;
    if (valueLength % size !== 0) return true;
    for (let at = valueAt; at < valueAt + valueLength; at += size)
      if (isPrivateAddress(bytes, at, size)) return true;
  }
  return service.malformed;
}

/** `length` is 4 or 16. */
export function isPrivateAddress(bytes: Uint8Array, at: number, length: number): boolean {
  return addressKind(bytes, at, length) >= AddressKind.private;
}

export function isUnspecified(bytes: Uint8Array, at: number, length: number): boolean {
  return isZero(bytes, at, at + length);
}
