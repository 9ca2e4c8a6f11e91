// Compresses large replies: documents, and JSON of many entries. Small replies are never compressed, and
// their path does not even read Accept-Encoding. zlib works on libuv's threads, so a large reply does not
// delay other requests; if several are being compressed already, the next one is sent as it is. The bytes of
// a document are the same object in every reply, so each is compressed once, and the result lives as long as
// the document. Replies with session ids or CSRF tokens are far below the limit: the length of a compressed
// reply would reveal parts of them (BREACH).

import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import { limits } from '#contract';
import { parseWeights, weightIn } from './accept.ts';
import type { PlainReply } from './envelope.ts';

export type Coding = 'zstd' | 'br' | 'gzip';

/** The fastest first: among the codings that the client likes best, the first is used. */
const codings: readonly Coding[] = ['zstd', 'br', 'gzip'];

/** The coding that the client accepts with the highest weight (RFC 9110 section 12.5.3). */
export function chooseCoding(acceptEncoding: string | undefined): Coding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const weights = parseWeights(acceptEncoding);
  // `*` means any coding, but only gzip is known to all clients.
  const weightOf = (coding: Coding): number =>
    weightIn(weights, coding === 'gzip' ? ['gzip', '*'] : [coding]);
  const [best] = codings.toSorted((one, other) => weightOf(other) - weightOf(one));
  return best === undefined || weightOf(best) === 0 ? undefined : best;
}

const textTypes = /^(?:text\/|application\/json)/;

/**
 * Whether the reply is worth compressing. A strong entity tag identifies the exact bytes, so a reply with one
 * is sent as it is; documents have weak tags (RFC 9110 section 8.8.3.3).
 */
export function isCompressible({ headers, payload }: PlainReply): boolean {
  if (payload === undefined || payload.length < limits.minCompressedLength) return false;
  const { etag = 'W/', 'content-type': type = '' } = headers;
  return etag.startsWith('W/') && textTypes.test(type);
}

export class Compressor {
  #running = 0;
  readonly #documents = new WeakMap<Uint8Array, Map<Coding, Promise<Buffer>>>();

  /** The bytes in this coding; undefined when too many replies are being compressed. */
  compress({ headers, payload = '' }: PlainReply, coding: Coding): Promise<Buffer> | undefined {
    if (typeof payload !== 'string' && headers['etag'] !== undefined) return this.#document(payload, coding);
    if (this.#running >= limits.maxCompressions) return undefined;
    this.#running++;
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
    return compressors[coding](bytes, false).finally(() => this.#running--);
  }

  /** Without the limit: there are few documents, and a browser requests all of them at once. */
  #document(bytes: Uint8Array, coding: Coding): Promise<Buffer> {
    const kept = this.#documents.get(bytes) ?? new Map<Coding, Promise<Buffer>>();
    const result = kept.get(coding) ?? compressors[coding](bytes, true);
    this.#documents.set(bytes, kept.set(coding, result));
    return result;
  }
}

const [zstdAsync, brotliAsync, gzipAsync] = [
  promisify(zstdCompress),
  promisify(brotliCompress),
  promisify(gzip),
];

/** A document is compressed once, so it gets a higher level than a reply that is different every time. */
const compressors: Readonly<Record<Coding, (bytes: Uint8Array, isDocument: boolean) => Promise<Buffer>>> = {
  zstd: (bytes, isDocument) =>
    zstdAsync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: isDocument ? 6 : 1 } }),
  br: (bytes, isDocument) =>
    brotliAsync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: isDocument ? 5 : 1 } }),
  gzip: (bytes, isDocument) => gzipAsync(bytes, { level: isDocument ? 6 : 1 }),
};
