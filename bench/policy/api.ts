// API calls of the policy cases: subscribe to a file, update lists, add a rule. Each throws on an error
// reply, so that failed calls are not measured.

import { pathToFileURL } from 'node:url';

import type { Sluice } from '../dns/sluice.ts';

type Reached = Pick<Sluice, 'url'>;

/** Removes the lists of a new installation: one of them is downloaded, which is not measured here. */
export async function dropLists({ url }: Reached): Promise<void> {
  const reply = await fetch(`${url}/api/lists`);
  // The contract says what a list has.
  const { lists } = (await reply.json()) as { lists: { address: string; type: string }[] };
  for (const { address, type } of lists)
    await fetch(`${url}/api/lists/${encodeURIComponent(address)}?type=${type}`, { method: 'DELETE' });
}

export function subscribe(sluice: Reached, file: string): Promise<unknown> {
  return post(sluice, '/api/lists?type=block', { address: pathToFileURL(file).href });
}

/** Resolves when the dns workers use the compiled lists. */
export function update(sluice: Reached): Promise<unknown> {
  return post(sluice, '/api/action/gravity', undefined);
}

export function addRule(sluice: Reached, domain: string): Promise<unknown> {
  return post(sluice, '/api/domains/deny/exact', { domain });
}

async function post({ url }: Reached, path: string, body: object | undefined): Promise<unknown> {
  const request = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
  const reply = await fetch(`${url}${path}`, { ...request, body: JSON.stringify(body ?? {}) });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`POST ${path}: ${reply.status} ${text}`);
  return JSON.parse(text);
}
