// Conditional reads (RFC 9110 section 13.1.2): a client that has the current state already, as its
// If-None-Match says, gets 304 without a body.

import type { PlainReply } from './envelope.ts';

/** Whether the header names this entity tag; weak and strong tags of one state are equal here. */
function namesTag(ifNoneMatch: string, etag: string): boolean {
  const opaque = withoutWeakness(etag);
  return ifNoneMatch.split(',').some((text) => {
    const tag = text.trim();
    return tag === '*' || withoutWeakness(tag) === opaque;
  });
}

function withoutWeakness(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}

/** The reply for this method and If-None-Match: the one given, or 304 in place of it. */
export function conditionalReply(reply: PlainReply, method: string, ifNoneMatch: string): PlainReply {
  const { etag, 'content-type': _type, ...rest } = reply.headers;
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead || reply.status !== 200 || etag === undefined || !namesTag(ifNoneMatch, etag)) return reply;
  return { status: 304, headers: { ...rest, etag }, payload: undefined };
}
