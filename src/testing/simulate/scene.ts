// For tests: a store with queries from a seed, lists and rules for their names, and a naive implementation of
// the same rules that loops over all of them. It is slow but obviously correct.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { openSnapshot, RuleScanner, SnapshotBuilder } from '#policy';
import { noPolicy, type PolicyPlan } from '../../control/plan/policy-plan.ts';
import { readClient } from '../../control/clients/client-text.ts';
import { fill, madeAddress } from '../history/generator.ts';
import { naiveRow, type NaiveRow } from '../history/naive-history.ts';
import { makeTestStore, startMs } from '../history/store.ts';
import { readerOver } from '../history/reader.ts';
import type { HistoryReader } from '../../history/thread/questions.ts';
import { snapshotFile } from '../../lists/snapshot/read-snapshot.ts';
import type { ListText } from '../../control/simulate/job.ts';

const hours = 30;
const hourMs = 3_600_000;
export const untilMs = startMs + hours * hourMs;

/** The lines of block lists by id; `@@` at the beginning allows. */
export type Lists = Readonly<Record<number, readonly string[]>>;

/** The generator creates names of the form hN.siteM.zone. */
export const compiledLists: Lists = {
  1: ['||site1.example.com^', '||site12.example^', 'h5.site5.example.com', '||site7.home.arpa^'],
  2: ['||site12.example^', '||site20.example^', '@@||h15.site41.example.com^', '||example.com^'],
  3: ['||home.arpa^', '||h8.site8.example^$dnstype=AAAA'],
};
export const addedList = ['||cdn.example.net^', '@@||site6.cdn.example.net^', 'h9.site9.example.com'];
export const addedListId = 9;

export interface SimulateScene {
  readonly dataDir: string;
  readonly rows: readonly NaiveRow[];
  readonly history: HistoryReader;
  readonly added: ListText;
}

export function simulateScene(context: { after(work: () => void): void }): SimulateScene {
  const place = makeTestStore(context);
  const store = place.open({ blockRows: 700 });
  context.after(() => store.close());
  const rows: NaiveRow[] = [];
  const made = { seed: 8, rows: 4_000, hours, names: 500, clients: 25, fromMs: startMs };
  fill(store, made, (query) => rows.push(naiveRow(query, rows.length + 1)));
  store.nameClient(madeAddress(1), 'tablet.lan');
  writeCompiled(place.dataDir, compiledLists);
  const text = Buffer.from(addedList.join('\n'));
  const path = join(place.dataDir, 'added.zst');
  writeFileSync(path, zstdCompressSync(text));
  const draft = { path, unpackedBytes: text.length };
  const added = { id: addedListId, type: 'block', name: 'added', draft } as const;
  return { dataDir: place.dataDir, rows, history: readerOver(store, () => untilMs), added };
}

function writeCompiled(dataDir: string, lists: Lists): void {
  const builder = new SnapshotBuilder();
  for (const [id, lines] of Object.entries(lists)) {
    const scanner = new RuleScanner(builder.list(Number(id)));
    scanner.feed(Buffer.from(`${lines.join('\n')}\n`));
    scanner.finish();
  }
  const buffer = builder.finish();
  const snapshot = buffer === undefined ? 'too short' : openSnapshot(buffer);
  if (typeof snapshot === 'string') throw new Error(snapshot);
  writeFileSync(snapshotFile(dataDir), snapshot.bytes());
}

/** The first clients are in group 1, all others in group 0. */
const grouped = Array.from({ length: 5 }, (_, client) => madeAddress(client));

function isGrouped({ clientIp }: Pick<NaiveRow, 'clientIp'>): boolean {
  return grouped.includes(clientIp);
}

export const basePlan: PolicyPlan = {
  ...noPolicy,
  lists: [
    { id: 1, name: 'one', groups: [0, 1] },
    { id: 2, name: 'two', groups: [0] },
    { id: 3, name: 'three', groups: [1] },
  ],
  rules: [
    { id: 1, domain: '*.site3.home.arpa', kind: 'exact', action: 'allow', groups: [0, 1] },
    { id: 2, domain: '^h1[0-9]\\.', kind: 'regex', action: 'block', groups: [1] },
  ],
  clients: grouped.map((ip) => {
    const read = readClient(ip);
    const words = read !== undefined && 'words' in read ? { words: read.words } : {};
    return { ...words, prefixBits: 128, labels: [ip], groups: [1] };
  }),
};

interface Line {
  readonly name: string;
  readonly below: string;
  readonly reachesBelow: boolean;
  readonly isForIpv6: boolean;
}

/** Each line is parsed once, because it is matched against thousands of queries. */
const lines = new Map<string, Line>();

function lineOf(text: string): Line {
  const known = lines.get(text);
  if (known !== undefined) return known;
  const [about = '', only] = text.replace('@@', '').split('$dnstype=');
  const name = about.replaceAll(/[|^]|^\*\./g, '');
  const reachesBelow = about.startsWith('||') || about.startsWith('*.');
  const line = { name, below: `.${name}`, reachesBelow, isForIpv6: only !== undefined };
  lines.set(text, line);
  return line;
}

function isOn(text: string, { domain, type }: NaiveRow): boolean {
  const { name, below, reachesBelow, isForIpv6 } = lineOf(text);
  if (isForIpv6 && type !== 28) return false;
  return domain === name || (reachesBelow && domain.endsWith(below));
}

/** The lists that block the query, and those that allow it. */
export function listsOn(lists: Lists, row: NaiveRow): { blocking: number[]; allowing: number[] } {
  const having = (isAllow: boolean): number[] =>
    Object.entries(lists)
      .filter(([, texts]) => texts.some((line) => line.startsWith('@@') === isAllow && isOn(line, row)))
      .map(([id]) => Number(id));
  return { blocking: having(false), allowing: having(true) };
}

/** The precedence table, as far as these rules need it. */
export function isBlockedBy(plan: PolicyPlan, lists: Lists, row: NaiveRow): boolean {
  const group = isGrouped(row) ? 1 : 0;
  const holds = ({ groups }: { readonly groups: readonly number[] }): boolean => groups.includes(group);
  const own = plan.rules.filter(
    (rule) =>
      holds(rule) &&
      (rule.kind === 'regex' ? new RegExp(rule.domain).test(row.domain) : isOn(rule.domain, row)),
  );
  if (own.length > 0) return own.every(({ action }) => action === 'block');
  const inForce = new Set(plan.lists.filter(holds).map(({ id }) => id));
  const { blocking, allowing } = listsOn(lists, row);
  return blocking.some((id) => inForce.has(id)) && !allowing.some((id) => inForce.has(id));
}
