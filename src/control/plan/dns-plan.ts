// The plan of the dns workers in the file dns.json, so that a start answers DNS before the database is open,
// and a successor answers as its predecessor did. The api thread writes it at every change; main reads it
// once. It is needed only until the api thread sends a plan, so an unusable file is ignored. A checksum
// detects damage: a flipped bit could be another address to listen on.

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { limits } from '#contract';
import type { DnsOptions } from './options.ts';
import type { HistoryPlan } from '#history/thread';
import { isObject, writeWhole } from '#platform/files';
import { errorText } from '#platform/tasks';

/** Everything that main needs to answer DNS without the api thread; kept in the file dns.json. */
export interface DnsPlan {
  /** The setting dns.listen. */
  readonly listen: string;
  /** Whether another port is used while that one is not available: only for the default of the setting. */
  readonly fallsBack: boolean;
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

/** Incremented when the fields change. Plans of other program versions are ignored anyway. */
const format = 9;
const maxSizeBytes = 16_777_216;

function planFile(dataDir: string): string {
  return join(dataDir, 'dns.json');
}

/** Undefined when there is no plan that this version can use. */
export function readPlan(dataDir: string, version: string): DnsPlan | undefined {
  const path = planFile(dataDir);
  try {
    if (statSync(path).size > maxSizeBytes) return undefined;
    const stored: unknown = JSON.parse(withoutChecksum(readFileSync(path, 'utf8')));
    if (!isStoredPlan(stored) || stored.version !== version) return undefined;
    const { listen, fallsBack, workers, options, history } = stored;
    return { listen, fallsBack, workers, options, history };
  } catch {
    return undefined;
  }
}

/** Returns the reason when the plan could not be written; the old file is intact then. */
export function writePlan(dataDir: string, plan: DnsPlan, version: string): string | undefined {
  const { listen, fallsBack, workers, options, history } = plan;
  const json = JSON.stringify({ format, version, listen, fallsBack, workers, options, history });
  try {
    writeWhole(planFile(dataDir), Buffer.from(withChecksum(json)));
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

/** The checksum is the first field and covers all others. */
function withChecksum(json: string): string {
  return `{"crc32":${crc32(json)},${json.slice(1)}`;
}

/** Throws when the checksum does not match. */
function withoutChecksum(text: string): string {
  const [head = '', sum] = /^\{"crc32":(\d{1,10}),/.exec(text) ?? [];
  const json = `{${text.slice(head.length)}`;
  if (crc32(json) !== Number(sum)) throw new Error('the checksum does not match');
  return json;
}

type StoredPlan = DnsPlan & { readonly format: number; readonly version: string };

function isStoredPlan(value: unknown): value is StoredPlan {
  return (
    isObject(value) &&
    value['format'] === format &&
    typeof value['listen'] === 'string' &&
    typeof value['fallsBack'] === 'boolean' &&
    isWorkerCount(value['workers']) &&
    isOptions(value['options']) &&
    isObject(value['history'])
  );
}

function isWorkerCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= limits.dnsWorkers;
}

/** Checks that all parts exist; the same version wrote their contents. */
function isOptions(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value['version'] === 'number' &&
    typeof value['policy'] === 'string' &&
    Array.isArray(value['rules']) &&
    ['engine', 'forwarding'].every((part) => isObject(value[part]))
  );
}
