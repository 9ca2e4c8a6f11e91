// Fetches one subscription, whatever its address is: https, http, a file, or the list that is built in. The
// text goes into a draft file; what a good list is, and where copies lie, is for others to say.

import { rmSync } from 'node:fs';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { builtInAddress, builtInText } from '../compile/built-in.ts';
import { fetchFile } from './fetch-file.ts';
import { fetchHttp } from './fetch-http.ts';
import { failed, type FetchOutcome, type Validators } from '../fetch-outcome.ts';
import { failureOf } from './fetch-problem.ts';
import type { ListRights } from '#store/database/entities';
import { addressLengthMax, fetchLimits, type FetchLimits } from '../list-limits.ts';
import { writeDraft } from '../copies/write-draft.ts';

export interface FetchOptions {
  readonly userAgent: string;
  /** Ends everything when the program ends. */
  readonly signal: AbortSignal;
  readonly limits?: FetchLimits;
  /** Without it the system's, which may lead to ourselves. */
  readonly lookup?: LookupFunction | undefined;
  readonly ca?: string | undefined;
  /** Files below it are never taken for lists. */
  readonly forbiddenFolder?: string | undefined;
  /** The setting lists.allowLocal, asked for with every list. */
  readonly allowLocal: () => boolean;
}

export interface FetchRequest {
  readonly address: string;
  readonly rights: ListRights;
  readonly known: Validators;
  /** Written to when the list has changed, and removed when it has not. */
  readonly draftPath: string;
}

export const nothingKnown: Validators = { etag: undefined, lastModified: undefined, contentHash: undefined };

/** Never throws. */
export async function fetchList(request: FetchRequest, options: FetchOptions): Promise<FetchOutcome> {
  const { address, known, draftPath } = request;
  const url = address.length > addressLengthMax ? null : URL.parse(address);
  if (url === null) return failed('The address of the list is no URL; check how it is written.', false);
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
  const reason = `Lists come by https, http or file, not by ${url.protocol}; check how the address begins.`;
  return Promise.resolve(failed(reason, false));
}

const fileNeedsSudo =
  'A list in a file of this machine is read only when it was added with sudo; ' +
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
