// A simulation of one additional rule on 1,000,000 stored queries through the API, with a million blocked
// names in force.

import type { Sluice } from '../dns/sluice.ts';
import { amountRow, type Row } from '../report.ts';
import { median } from '../rounds.ts';
import { DAYS, QUERIES, type MadeHistory } from './made.ts';

const WANTED = 1_000_000;
const ROUNDS = 3;
const BAR_SECONDS = 2;
/** There are more queries by day than by night. */
const LEAST = 0.95 * WANTED;

export async function simulationRow({ url }: Sluice, { untilMs }: MadeHistory): Promise<Row> {
  const fromSeconds = untilMs / 1000 - (WANTED / QUERIES) * DAYS * 86_400;
  const add = [{ domain: '*.site1.example.com', type: 'deny', kind: 'exact' }];
  const body = JSON.stringify({ rules: { add }, from: fromSeconds, until: untilMs / 1000 });
  const seconds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startedMs = performance.now();
    const reply = await fetch(`${url}/api/simulate`, { method: 'POST', body });
    const text = await reply.text();
    seconds.push((performance.now() - startedMs) / 1000);
    if (!reply.ok || !isRight(text)) throw new Error(`POST /api/simulate: ${reply.status} ${text}`);
  }
  return amountRow('history: simulation of 1,000,000 stored queries', median(seconds), 's', BAR_SECONDS);
}

function isRight(text: string): boolean {
  // The contract says what a simulation has.
  const simulated = JSON.parse(text) as {
    readonly queries: number;
    readonly blocked: { readonly queries: number };
    readonly truncated: boolean;
  };
  return simulated.queries >= LEAST && simulated.blocked.queries > 0 && !simulated.truncated;
}
