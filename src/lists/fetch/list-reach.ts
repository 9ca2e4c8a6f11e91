// Which addresses a list may be fetched from depends on the rights that it was added with. The check happens
// at connect time, on the address that is connected to, so that neither a redirect nor a name that resolves
// differently the second time (DNS rebinding) gets around it.

import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { ListRights } from '#store/database/entities';
import { scopeOf, type AddressScope } from './address-scope.ts';
import { FetchStop } from '../fetch-outcome.ts';
import { shownAddress } from '../shown-address.ts';

export interface Reach {
  readonly rights: ListRights;
  /** The setting lists.allowLocal. */
  readonly allowLocal: boolean;
}

/** Lists added by earlier versions have the rights of sudo, because those versions did not record any. */
export function mayReach({ rights, allowLocal }: Reach, scope: AddressScope): boolean {
  if (scope === 'public') return true;
  if (rights === 'limited') return false;
  return scope === 'private' || allowLocal;
}

/** The refusal of a URL whose host is a forbidden IP address. Host names are checked by `guardedLookup`. */
export function literalProblem(url: URL, reach: Reach): FetchStop | undefined {
  const host = url.hostname.replace(/^\[(.*)\]$/u, '$1');
  if (isIP(host) === 0) return undefined;
  const scope = scopeOf(host);
  return mayReach(reach, scope) ? undefined : refusal(url, reach, scope);
}

/** A lookup that returns only addresses that the list may reach; the connection uses them directly. */
export function guardedLookup(url: URL, reach: Reach, lookup: LookupFunction | undefined): LookupFunction {
  return (name, options, callback) => {
    findAll(name, options, lookup).then(
      (found) => {
        const allowed = found.filter(({ address }) => mayReach(reach, scopeOf(address)));
        const [first] = allowed;
        if (first === undefined) callback(refusal(url, reach, nearest(found)), []);
        else if (options.all === true) callback(null, allowed);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}

function findAll(
  name: string,
  options: LookupOptions,
  lookup: LookupFunction | undefined,
): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    const all = { ...options, all: true } as const;
    const settle = (
      error: NodeJS.ErrnoException | null,
      found: string | LookupAddress[],
      family = 0,
    ): void => {
      if (error !== null) reject(error);
      else resolve(typeof found === 'string' ? [{ address: found, family }] : found);
    };
    if (lookup === undefined) systemLookup(name, all, settle);
    else lookup(name, all, settle);
  });
}

function nearest(found: readonly LookupAddress[]): AddressScope {
  return found.some(({ address }) => scopeOf(address) === 'local') ? 'local' : 'private';
}

const scopeTexts = {
  public: 'a public address',
  private: 'a private address',
  local: 'a loopback or link-local address, or to an address of this machine',
} as const;

function refusal(url: URL, { rights }: Reach, scope: AddressScope): FetchStop {
  const where = `${shownAddress(url)}: this leads to ${scopeTexts[scope]}`;
  const setting = scope === 'local' ? 'set lists.allowLocal to fetch lists from there' : '';
  const addAgain = 'remove the list and add it again with the password or with sudo';
  const remedy = rights === 'limited' ? [addAgain, setting].filter((text) => text !== '') : [setting];
  const reason = rights === 'limited' ? ', which a list added without sudo may not reach' : '';
  return new FetchStop(`${where}${reason}; ${remedy.join(', and ')}.`, false, { isOutOfReach: true });
}
