// Blocked answers with a million names: CPU time of the dns worker per query, compared with the C floor,
// which does no lookup, and with dnsmasq with the same names in a hosts file.

import { underLoad, type Outcome } from '../dns/load.ts';
import { startDnsmasq, type Peer } from '../dns/peers.ts';
import type { Sluice } from '../dns/sluice.ts';
import { residentMegabytes } from '../process-figures.ts';
import { amountRow, factorRow, type Row } from '../report.ts';
import { inRounds, median } from '../rounds.ts';
import { writeHosts, writeQuestions } from './names.ts';

const ROUNDS = 5;
const SECONDS = 2;
const QUESTIONS = 500_000;

export async function blockedRows(sluice: Sluice, floor: Peer, names: number): Promise<readonly Row[]> {
  const questions = writeQuestions(names, QUESTIONS);
  const dnsmasq = await startDnsmasq(floor.port, writeHosts(names));
  try {
    const all = { floor, sluice, dnsmasq };
    const contestants = ['floor', 'sluice', 'dnsmasq'] as const;
    const measure = (name: keyof typeof all): Promise<Outcome> =>
      underLoad({ port: all[name].port, names: questions, seconds: SECONDS }, all[name].cpuSeconds);
    for (const name of contestants) await measure(name);
    const rounds = await inRounds(ROUNDS, contestants, measure);
    const costOf = (name: keyof typeof all): number =>
      median((rounds.get(name) ?? []).map(({ microseconds }) => microseconds));
    const [ours, least, theirs] = [costOf('sluice'), costOf('floor'), costOf('dnsmasq')];
    const detail = (other: number): string => `${ours.toFixed(2)} us / ${other.toFixed(2)} us`;
    return [
      factorRow('policy: blocked, 1,000,000 names, CPU against the floor', ours / least, detail(least), 2),
      factorRow('policy: the same against dnsmasq', ours / theirs, detail(theirs), 0.5),
      amountRow('policy: resident memory of that dnsmasq', residentMegabytes(dnsmasq.pid), 'MB'),
    ];
  } finally {
    await dnsmasq.stop();
  }
}
