// Where a reply sends us, and whether we go there. A subscription by https is a promise that nobody on the
// way has changed the list, so it is never led to plain http; and no server leads us to a file of our own.

import { failed, type FetchFailure } from '../fetch-outcome.ts';
import { shownAddress } from '../shown-address.ts';
import { locationLengthMax } from '../list-limits.ts';

/** RFC 9110, 15.4. 300 and 305 name no single place to go to; 304 is no redirect. */
const codes: readonly number[] = [301, 302, 303, 307, 308];

export const isRedirect = (status: number): boolean => codes.includes(status);

/** `way`: every address so far, the one that sends us on last. */
export function nextAddress(
  way: readonly URL[],
  location: string | undefined,
  redirectsMax: number,
): URL | FetchFailure {
  const from = way.at(-1);
  if (from === undefined || location === undefined)
    return refuse(way, 'the server sends us on, but does not say where; check the address');
  if (location.length > locationLengthMax)
    return refuse(way, 'the server sends us to an address that is too long; check the address');
  const to = URL.parse(location, from);
  if (to === null) return refuse(way, 'the server sends us to something that is no address');
  const problem = schemeProblem(from, to);
  if (problem !== undefined) return refuse(way, problem);
  if (way.some(({ href }) => href === to.href))
    return refuse(way, 'the server sends us in a circle; check the address in a browser');
  if (way.length > redirectsMax)
    return refuse(way, `more than ${redirectsMax} redirects; subscribe to the address that they end at`);
  return to;
}

function schemeProblem(from: URL, to: URL): string | undefined {
  if (to.protocol !== 'https:' && to.protocol !== 'http:')
    return `the server sends us to ${to.protocol}, which only a person may choose`;
  if (from.protocol === 'https:' && to.protocol === 'http:')
    return `the server sends us to ${shownAddress(to)}, without encryption; use that if you trust it`;
  return undefined;
}

function refuse(way: readonly URL[], text: string): FetchFailure {
  const first = way[0];
  return failed(`${first === undefined ? '' : `${shownAddress(first)}: `}${text}.`, false);
}
