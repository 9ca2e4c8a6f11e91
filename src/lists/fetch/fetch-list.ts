// Fetches one subscribed list by https, by http, from a file, or the built-in list. Writes the text to a
// draft file; the caller examines it and stores it as a copy.

import { rmSync } from 'node:fs';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { builtInAddress, builtInText } from '../compile/built-in.ts';
import { fetchFile } from './fetch-file.ts';
import { fetchHttp } from './fetch-http.ts';
import { failed, type FetchOutcome, type Validators } from '../fetch-outcome.ts';
import { failureOf } from './fetch-problem.ts';
import type { ListRights } from '#store/database/entities';
import { maxAddressLength, fetchLimits, type FetchLimits } from '../list-limits.ts';
import { writeDraft } from '../copies/write-draft.ts';

export interface FetchOptions {
  readonly userAgent: string;
  /** Aborted when the program stops. */
  readonly signal: AbortSignal;
  readonly limits?: FetchLimits;
  /** The default is the resolver of the system, which may be Sluice itself. */
  readonly lookup?: LookupFunction | undefined;
  readonly ca?: string | undefined;
  /** Files below it are never read as lists. */
  readonly forbiddenFolder?: string | undefined;
  /** The setting lists.allowLocal, read at every fetch. */
  readonly allowLocal: () => boolean;
}

export interface FetchRequest {
  readonly address: string;
  readonly rights: ListRights;
  readonly known: Validators;
  /** Holds the text when the list has changed; otherwise removed. */
  readonly draftPath: string;
}

export const nothingKnown: Validators = { etag: undefined, lastModified: undefined, contentHash: undefined };

/** Never throws. */
export async function fetchList(request: FetchRequest, options: FetchOptions): Promise<FetchOutcome> {
  const { address, known, draftPath } = request;
  const url = address.length > maxAddressLength ? null : URL.parse(address);
  if (url === null) return failed('The address of the list is not a valid URL; check the spelling.', false);
  const outcome = await fetchUrl(url, request, options);
  const isSame = outcome.kind === 'changed' && outcome.contentHash === known.contentHash;
  if (isSame || outcome.kind !== 'changed') rmSync(draftPath, { force: true });
  return isSame ? { kind: 'unchanged' } : outcome;
}

function fetchUrl(url: URL, request: FetchRequest, options: FetchOptions): Promise<FetchOutcome> {
  const { known, draftPath, rights } = request;
  const { signal, limits = fetchLimits, forbiddenFolder, allowLocal } = options;
  if (url.protocol === 'https:' || url.protocol === 'http:') {
    const reach = { rights, allowLocal: allowLocal() };
    return fetchHttp(url, known, draftPath, { ...options, limits, reach });
  }
  if (url.protocol === 'file:') {
    if (rights === 'limited') return Promise.resolve(failed(fileNeedsSudo, false));
    return fetchFile(url, known, draftPath, { limits, signal, forbiddenFolder });
  }
  if (url.href === builtInAddress) return fetchBuiltIn(url, draftPath, limits, signal);
  const reason = `Lists are fetched by https, http or file, not by ${url.protocol}; check the address.`;
  return Promise.resolve(failed(reason, false));
}

const fileNeedsSudo =
  'A list in a file on this machine is read only when it was added with sudo; ' +
  'remove it and add it again with the password or with sudo.';

async function fetchBuiltIn(
  url: URL,
  draftPath: string,
  limits: FetchLimits,
  signal: AbortSignal,
): Promise<FetchOutcome> {
  try {
    const body = Readable.from([Buffer.from(builtInText)]);
    const facts = await writeDraft(body, undefined, draftPath, limits, signal);
    return { kind: 'changed', ...facts, etag: undefined, lastModified: undefined };
  } catch (error) {
    return failureOf(error, url);
  }
}
