// The name that belongs to an address, from the same sources as for a client: our own records first, then the
// upstream of its network, then the usual upstreams. Names of private networks are not sent out unless an
// upstream is set for them (RFC 6303). Not a query of a client: rules do not apply, and it is neither
// recorded nor cached.

import {
  Class,
  isMappedIpv4,
  nameFromText,
  nameToText,
  Rcode,
  readName,
  RecordCursor,
  Section,
  Type,
} from '#wire';
import type { LocalName } from '../local/local-name.ts';
import type { NameTree } from '../local/name-tree.ts';
import { reverseName } from '../local/reverse-names.ts';
import type { CleanReply } from '../reply/clean-reply.ts';
import type { ForwardOutcome, Question } from '../upstream/forwarding.ts';

/** What a lookup needs of the engine. */
interface Resolving {
  readonly compiled: { readonly local: NameTree<LocalName> };
  queryUpstreams(question: Question, outcome: ForwardOutcome): void;
}

export type NameOutcome =
  /** In lower case and without a dot at the end; undefined: it has none. */
  | { readonly isFound: true; readonly name: string | undefined }
  /** No upstream answered. */
  | { readonly isFound: false };

const nameBytes = 256;
const notFound: NameOutcome = { isFound: false };

/** `address`: 16 bytes, IPv4 as ::ffff:a.b.c.d. May call `done` before it returns. */
export function lookUpName(
  engine: Resolving,
  address: Uint8Array,
  done: (outcome: NameOutcome) => void,
): void {
  const name = nameFromText(reverseName(isMappedIpv4(address, 0) ? address.subarray(12) : address));
  if (name === undefined) return done(notFound);
  const known = engine.compiled.local.find(name, name.length);
  if (known !== undefined && known.kind !== 'forward' && !isForOthers(known))
    return done({ isFound: true, name: known.pointers.map((pointer) => nameToText(pointer))[0] });
  const question = { name, type: Type.PTR, class: Class.IN, dnssecOk: false, checkingDisabled: false };
  engine.queryUpstreams(question, {
    onReply: (reply) => done(readPointer(reply)),
    onFailure: () => done(notFound),
  });
}

/** A record of ours for the reverse name itself, without a pointer. */
function isForOthers({ kind, pointers, asksOthers }: LocalName): boolean {
  return kind === 'records' && pointers.length === 0 && asksOthers;
}

/** The first pointer of the answer, behind aliases too (RFC 2317). */
function readPointer({ bytes, length, rcode }: CleanReply): NameOutcome {
  if (rcode === Rcode.nxDomain) return { isFound: true, name: undefined };
  const cursor = new RecordCursor();
  if (rcode !== Rcode.noError || !cursor.start(bytes, 0, length)) return notFound;
  const name = new Uint8Array(nameBytes);
  while (cursor.next() && cursor.section === Section.answer) {
    if (cursor.type !== Type.PTR || cursor.class !== Class.IN) continue;
    const size = readName(bytes, 0, cursor.dataAt, cursor.recordEnd, name);
    return size > 1 ? { isFound: true, name: nameToText(name) } : notFound;
  }
  return { isFound: true, name: undefined };
}
