// The name that a DNAME record makes of one below its owner (RFC 6672 section 2.2): the owner's labels at the
// end are replaced by those of the target.

import { MAX_NAME_BYTES } from '#wire';

/** `target` holds the DNAME's target and gets the result. Its length; 0 when that would be too long. */
export function substitute(
  name: Uint8Array,
  length: number,
  target: Uint8Array,
  targetLength: number,
  ownerLength: number,
): number {
  const front = length - ownerLength;
  if (front + targetLength > MAX_NAME_BYTES) return 0;
  target.copyWithin(front, 0, targetLength);
  for (let at = 0; at < front; at += 1) target[at] = name[at] ?? 0;
  return front + targetLength;
}
