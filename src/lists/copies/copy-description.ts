// The JSON file beside each stored copy of a list: its address, time, content report, and the hashes that
// detect damage. It is written last: a copy without a description does not exist.

import type { RuleReport } from '#policy';
import type { FetchedText } from '../fetch-outcome.ts';
import { maxDescriptionBytes } from '../list-limits.ts';
import { isObject, readJson } from '#platform/files';

export interface CopyDescription extends FetchedText {
  /** Increases with every copy of the list. */
  readonly version: number;
  readonly address: string;
  readonly fetchedMs: number;
  readonly report: RuleReport;
}

/** Incremented when the fields change; copies in another format are ignored and fetched again. */
const format = 1;

/** Picks the fields that are stored; the outcome of a fetch has others too. */
export function describe(
  { etag, lastModified, contentHash, unpackedBytes, fileBytes, fileHash }: FetchedText,
  rest: Omit<CopyDescription, keyof FetchedText>,
): CopyDescription {
  return { etag, lastModified, contentHash, unpackedBytes, fileBytes, fileHash, ...rest };
}

export function descriptionJson(description: CopyDescription): unknown {
  return { format, ...description };
}

export function readDescription(path: string): CopyDescription | undefined {
  const value = readJson(path, maxDescriptionBytes);
  return isDescription(value) ? value : undefined;
}

function isDescription(value: unknown): value is CopyDescription {
  return (
    isObject(value) &&
    value['format'] === format &&
    (['version', 'fetchedMs', 'unpackedBytes', 'fileBytes'] as const).every((key) =>
      Number.isSafeInteger(value[key]),
    ) &&
    (['address', 'contentHash', 'fileHash'] as const).every((key) => typeof value[key] === 'string') &&
    isObject(value['report']) &&
    Number.isSafeInteger(value['report']['entries'])
  );
}
