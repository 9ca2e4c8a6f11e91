// What stands beside each stored copy of a list: where it came from, when, what is in it, and the hashes that
// say whether it still is what was written. A copy exists from the moment its description does.

import type { RuleReport } from '#policy';
import type { FetchedText } from '../fetch-outcome.ts';
import { descriptionBytesMax } from '../list-limits.ts';
import { isObject, readJson } from '#platform/files';

export interface CopyDescription extends FetchedText {
  /** Counts up with every copy of the list. */
  readonly version: number;
  readonly address: string;
  readonly fetchedMs: number;
  readonly report: RuleReport;
}

/** Raised when the shape changes; copies of another shape are fetched anew. */
const format = 1;

/** Only what belongs into the file, whatever else the fetching knows. */
export const describe = (
  { etag, lastModified, contentHash, unpackedBytes, fileBytes, fileHash }: FetchedText,
  rest: Omit<CopyDescription, keyof FetchedText>,
): CopyDescription => ({ etag, lastModified, contentHash, unpackedBytes, fileBytes, fileHash, ...rest });

export const describedFile = (description: CopyDescription): unknown => ({ format, ...description });

export function readDescription(path: string): CopyDescription | undefined {
  const value = readJson(path, descriptionBytesMax);
  return isDescription(value) ? value : undefined;
}

const isDescription = (value: unknown): value is CopyDescription =>
  isObject(value) &&
  value['format'] === format &&
  (['version', 'fetchedMs', 'unpackedBytes', 'fileBytes'] as const).every((key) =>
    Number.isSafeInteger(value[key]),
  ) &&
  (['address', 'contentHash', 'fileHash'] as const).every((key) => typeof value[key] === 'string') &&
  isObject(value['report']) &&
  Number.isSafeInteger(value['report']['entries']);
