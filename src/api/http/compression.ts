// Compresses large replies: documents, and JSON of many entries. Small replies are never compressed, and
// their path does not even read Accept-Encoding. zlib works on libuv's threads, so a large reply does not
// delay other requests; if several are being compressed already, the next one is sent as it is. The bytes of
// a document are the same object in every reply, so each is compressed once and the result lives as long as
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
    const isDocument = typeof payload !== 'string' && headers['etag'] !== undefined;
    const kept = isDocument ? this.#documents.get(payload)?.get(coding) : undefined;
    if (kept !== undefined || this.#running >= limits.maxCompressions) return kept;
    this.#running++;
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
    const result = compressors[coding](bytes, isDocument).finally(() => this.#running--);
    if (isDocument) this.#keep(payload, coding, result);
    return result;
  }

  #keep(payload: Uint8Array, coding: Coding, result: Promise<Buffer>): void {
    const byCoding = this.#documents.get(payload) ?? new Map<Coding, Promise<Buffer>>();
    this.#documents.set(payload, byCoding.set(coding, result));
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
