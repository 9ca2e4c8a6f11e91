// Restore points. A large change does not store one revision per item but a single restore point: a
// compressed text with one line of JSON per item, and the number of items of each kind. So a change of
// 100,000 items takes one row, and the list of changes stays readable. The text has a size limit, because it
// is built and read in memory.

import { promisify } from 'node:util';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, zstdDecompress } from 'node:zlib';
import { limits } from '#contract';

/** One item of a change, as revisions store it. */
export interface RevisedText {
  readonly entity: string;
  readonly key: string;
  /** JSON, or null. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface RevisedItem {
  readonly entity: string;
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
}

export type EntityCounts = Readonly<Record<string, number>>;

const linesPerChunk = 200;

/** Undefined when the text is too long. Compression runs on another thread and blocks no other request. */
export async function packItems(items: Iterable<RevisedText>): Promise<Uint8Array | undefined> {
  const text = new BoundedText(items);
  const parts: Buffer[] = [];
  await pipeline(Readable.from(text.chunks()), createZstdCompress(), async (packed) => {
    for await (const part of packed) parts.push(part);
  });
  return text.isTooLong ? undefined : Buffer.concat(parts);
}

/** The lines in chunks; ends early when the text exceeds the limit. */
class BoundedText {
  readonly #items: Iterable<RevisedText>;
  #bytes = 0;

  constructor(items: Iterable<RevisedText>) {
    this.#items = items;
  }

  get isTooLong(): boolean {
    return this.#bytes > limits.restorePointBytes;
  }

  async *chunks(): AsyncGenerator<Buffer> {
    let lines: string[] = [];
    for (const item of this.#items) {
      lines.push(lineOf(item));
      if (lines.length < linesPerChunk) continue;
      yield this.#chunk(lines);
      lines = [];
      if (this.isTooLong) return;
    }
    yield this.#chunk(lines);
  }

  #chunk(lines: readonly string[]): Buffer {
    const chunk = Buffer.from(lines.join(''));
    this.#bytes += chunk.length;
    return chunk;
  }
}

/** `before` and `after` are JSON already. */
const lineOf = ({ entity, key, before, after }: RevisedText): string =>
  `[${JSON.stringify(entity)},${JSON.stringify(key)},${before ?? 'null'},${after ?? 'null'}]\n`;

const decompress = promisify(zstdDecompress);

/** Undefined when the bytes are damaged. */
export async function unpackItems(packed: Uint8Array): Promise<readonly RevisedItem[] | undefined> {
  try {
    const text = await decompress(packed, { maxOutputLength: limits.restorePointBytes + 1 });
    return text
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map(itemOf);
  } catch {
    return undefined;
  }
}

function itemOf(line: string): RevisedItem {
  const [entity, key, before, after] = JSON.parse(line);
  return { entity, key, before, after };
}

export function countEntities(items: readonly { readonly entity: string }[]): EntityCounts {
  const counts: Record<string, number> = {};
  for (const { entity } of items) counts[entity] = (counts[entity] ?? 0) + 1;
  return counts;
}

const plurals: Readonly<Record<string, readonly [string, string]>> = {
  app: ['application password', 'application passwords'],
};

/** `1,234 domains and 1 group changed` */
export function summaryOf(counts: EntityCounts): string {
  const parts = Object.entries(counts).map(([entity, count]) => {
    const [one, several] = plurals[entity] ?? [entity, `${entity}s`];
    return `${count.toLocaleString('en')} ${count === 1 ? one : several}`;
  });
  const last = parts.pop() ?? 'nothing';
  return `${parts.length === 0 ? last : `${parts.join(', ')} and ${last}`} changed`;
}
