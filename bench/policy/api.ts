// What the cases of the policy say to the service: subscribe to a file, update, add a rule of one's own.
// Each throws when it is refused, since a figure of a failed call is none.

import { pathToFileURL } from 'node:url';

import type { Sluice } from '../dns/sluice.ts';

type Reached = Pick<Sluice, 'url'>;

/** Without the lists of a fresh installation: one of them comes by a network, which is not measured here. */
export async function dropLists({ url }: Reached): Promise<void> {
  const reply = await fetch(`${url}/api/lists`);
  // The contract says what a list has.
  const { lists } = (await reply.json()) as { lists: { address: string; type: string }[] };
  for (const { address, type } of lists)
    await fetch(`${url}/api/lists/${encodeURIComponent(address)}?type=${type}`, { method: 'DELETE' });
}

export const subscribe = (sluice: Reached, file: string): Promise<unknown> =>
  post(sluice, '/api/lists?type=block', { address: pathToFileURL(file).href });

/** Resolves when the dns workers answer by what was compiled. */
export const update = (sluice: Reached): Promise<unknown> => post(sluice, '/api/action/gravity', undefined);

export const addRule = (sluice: Reached, domain: string): Promise<unknown> =>
  post(sluice, '/api/domains/deny/exact', { domain });

async function post({ url }: Reached, path: string, body: object | undefined): Promise<unknown> {
  const request = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
  const reply = await fetch(`${url}${path}`, { ...request, body: JSON.stringify(body ?? {}) });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`POST ${path}: ${reply.status} ${text}`);
  return JSON.parse(text);
}
