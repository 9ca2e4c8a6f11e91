// The plan of the dns workers on the disk, so that a start answers DNS before the database is open, and a
// successor answers as its predecessor did. The api thread writes it whenever it changes, main reads it once.
// It only bridges the time until the api thread speaks: whatever is wrong with it, it is passed over. A
// checksum stands before it: a flipped byte could be another address to listen on.

import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { limits } from '#contract';
import type { DnsOptions } from './options.ts';
import type { HistoryPlan } from '#history/thread';

/** Everything that main needs to answer DNS without the api thread; kept in the file dns.json. */
export interface DnsPlan {
  /** The setting dns.listen. */
  readonly listen: string;
  /** The setting dns.workers. */
  readonly workers: number;
  readonly options: DnsOptions;
  readonly history: HistoryPlan;
}

/** The result of sending a plan to the workers. */
export interface DnsApplied {
  readonly workers: number;
  /** Workers that did not acknowledge it in time; each is either dead or busy. */
  readonly late: readonly string[];
}

/** Raised when the shape of the options changes. Other versions of the program are passed over anyway. */
const format = 8;
const sizeMaxBytes = 16_777_216;

const planFile = (dataDir: string): string => join(dataDir, 'dns.json');

/** Nothing when there is none that this version can use. */
export const readPlan = (dataDir: string, version: string): DnsPlan | undefined => {
  const path = planFile(dataDir);
  try {
    if (statSync(path).size > sizeMaxBytes) return undefined;
    const kept: unknown = JSON.parse(unsealed(readFileSync(path, 'utf8')));
    return isKept(kept) && kept.version === version
      ? { listen: kept.listen, workers: kept.workers, options: kept.options, history: kept.history }
      : undefined;
  } catch {
    return undefined;
  }
};

/** The reason when it could not be written; the old one is whole then. */
export const writePlan = (dataDir: string, plan: DnsPlan, version: string): string | undefined => {
  const { listen, workers, options, history } = plan;
  const path = planFile(dataDir);
  const draft = `${path}.new`;
  try {
    const fd = openSync(draft, 'w', 0o600);
    try {
      // Not writeSync: on a disk that is nearly full that writes a part and says nothing.
      writeFileSync(fd, sealed(JSON.stringify({ format, version, listen, workers, options, history })));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(draft, path);
    return undefined;
  } catch (error) {
    rmSync(draft, { force: true });
    return error instanceof Error ? error.message : String(error);
  }
};

/** The checksum is the first entry, and covers all behind it. */
const sealed = (json: string): string => `{"crc32":${crc32(json)},${json.slice(1)}`;

/** Throws when it is another text than was written. */
function unsealed(text: string): string {
  const [head = '', sum] = /^\{"crc32":(\d{1,10}),/.exec(text) ?? [];
  const json = `{${text.slice(head.length)}`;
  if (crc32(json) !== Number(sum)) throw new Error('the checksum is another');
  return json;
}

const isKept = (value: unknown): value is DnsPlan & { readonly format: number; readonly version: string } =>
  isObject(value) &&
  value['format'] === format &&
  typeof value['listen'] === 'string' &&
  isWorkerCount(value['workers']) &&
  isOptions(value['options']) &&
  isObject(value['history']);

const isWorkerCount = (value: unknown): boolean =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= limits.dnsWorkers;

/** What is in them is as this version wrote it; that all parts are there is looked at. */
const isOptions = (value: unknown): boolean =>
  isObject(value) &&
  typeof value['version'] === 'number' &&
  typeof value['policy'] === 'string' &&
  Array.isArray(value['rules']) &&
  ['engine', 'forwarding'].every((part) => isObject(value[part]));

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
