// Whole lists from text to verdict, compared with maps of strings: on one side the scanner, the snapshot with
// its hundreds of thousands of fingerprints and the walk, on the other side the meaning of each line, parsed
// by a separate regular expression. The lists are those of the folder SLUICE_TEST_LISTS, or generated ones.
// SLUICE_TEST_NAMES sets how many names are tried, and SLUICE_TEST_SEED which: `npm run fuzz:policy`.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';

import { seeded } from '../../../test/running/seeded.ts';
import { scanRules } from '../rules/scan-rules.ts';
import { SnapshotBuilder } from '../snapshot/snapshot-builder.ts';
import type { CompiledPolicy } from './compiled-policy.ts';
import { decided, policyOf, randomFrom } from '#testing/policy/rules';

const names = Number(process.env['SLUICE_TEST_NAMES'] ?? 60_000);
const { seed } = seeded();
const folder = process.env['SLUICE_TEST_LISTS'];
const generatedLines = 25_000;

type Random = (limit: number) => number;

interface Meaning {
  readonly listId: number;
  /** As in the precedence table, for lists only: 0 important allow to 3 block. */
  readonly row: number;
  readonly isExact: boolean;
}

/** Lines with one meaning, each matched by one regular expression; its group is the name. */
const shapes: readonly (readonly [shape: RegExp, row: number, isExact: boolean])[] = [
  [/^0\.0\.0\.0 ([a-z0-9_.-]+)$/, 3, true],
  [/^([a-z0-9_-]+(?:\.[a-z0-9_-]+)+)$/, 3, true],
  [/^\*\.([a-z0-9_.-]+)$/, 3, false],
  [/^\|\|([a-z0-9_.-]+[a-z0-9])\^$/, 3, false],
  [/^@@\|\|([a-z0-9_.-]+[a-z0-9])\^\|?$/, 2, false],
  [/^@@\|([a-z0-9_.-]+[a-z0-9])\^\|$/, 2, true],
  [/^\|\|([a-z0-9_.-]+)\^\$important$/, 1, false],
  [/^@@\|\|([a-z0-9_.-]+)\^\$important$/, 0, false],
];

const tails = ['com', 'net', 'co.uk', 'io', 'xn--p1ai', 'example'];

function generated(random: Random): readonly string[] {
  const lines = (): string =>
    Array.from({ length: generatedLines }, () => {
      const name = `${label(random)}.${label(random)}.${tails[random(tails.length)]}`;
      const part = random(3) === 0 ? name.slice(name.indexOf('.') + 1) : name;
      const forms = [`0.0.0.0 ${part}`, part, `*.${part}`, `||${part}^`, `||${part}^`];
      const rare = [`@@||${part}^`, `@@|${part}^|`, `||${part}^$important`, `@@||${part}^$important`];
      return (random(12) === 0 ? rare[random(rare.length)] : forms[random(forms.length)]) ?? '';
    }).join('\n');
  return [lines(), lines(), lines()];
}

function label(random: Random): string {
  return `${'adtrkcx'[random(7)]}${random(3000).toString(36)}`;
}

/** Keeps only the lines that this test understands, so that both sides have the same ones. */
function understood(text: string, listId: number, meanings: Map<string, Meaning[]>): string {
  const kept = text.split('\n').filter((line) => {
    for (const [shape, row, isExact] of shapes) {
      const [, name] = shape.exec(line) ?? [];
      if (name === undefined || !/\.[a-z][a-z0-9-]*[a-z0-9]$/.test(name)) continue;
      const others = meanings.get(name) ?? [];
      others.push({ listId, row, isExact });
      meanings.set(name, others);
      return true;
    }
    return false;
  });
  return kept.join('\n');
}

function compiled(texts: readonly string[]): CompiledPolicy {
  const builder = new SnapshotBuilder({ expectedNames: 1000, maxBytes: 2 ** 26 });
  for (const [index, text] of texts.entries())
    scanRules(new TextEncoder().encode(text), builder.list(index + 1));
  const lists = builder.finishHere();
  assert.ok(lists !== undefined);
  const listsInForce = texts.map((_, index) => ({ id: index + 1, groups: [0], name: '' }));
  return policyOf({}, [], { lists, listsInForce });
}

/** The name itself, then each of its suffixes. */
function suffixesOf(name: string): readonly string[] {
  const labels = name.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}

function decidedNaively(meanings: ReadonlyMap<string, readonly Meaning[]>, name: string): string {
  const met = suffixesOf(name).flatMap((suffix, index) =>
    (meanings.get(suffix) ?? [])
      .filter(({ isExact }) => !isExact || index === 0)
      // An exact rule is closest, then the longest suffix.
      .map((meaning) => ({ ...meaning, distance: meaning.isExact ? -1 : index })),
  );
  const [first] = met.toSorted((a, b) => a.row - b.row || a.distance - b.distance || a.listId - b.listId);
  return first === undefined ? 'pass' : `${first.row % 2 === 0 ? 'allow' : 'block'} list ${first.listId}`;
}

/** Names of rules, names around them, and names without rules. */
function queriedName(random: Random, known: readonly string[]): string {
  const name = known[random(known.length)] ?? '';
  switch (random(6)) {
    case 0:
      return `${label(random)}.${name}`;
    case 1:
      return `www.${label(random)}.${name}`;
    case 2:
      return name.slice(name.indexOf('.') + 1);
    case 3:
      return `${label(random)[0]}${name.slice(1)}`;
    case 4:
      return `${label(random)}.${label(random)}.${tails[random(tails.length)]}`;
    default:
      return name;
  }
}

it(`lists and maps of strings agree on ${names} names, seed ${seed}`, () => {
  const random = randomFrom(seed);
  const meanings = new Map<string, Meaning[]>();
  const written =
    folder === undefined
      ? generated(random)
      : readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  const policy = compiled(written.map((text, index) => understood(text, index + 1, meanings)));
  const known = [...meanings.keys()];
  assert.ok(known.length > 20_000, `${known.length} names`);
  const kinds = new Map<string, number>();
  for (let tried = 0; tried < names; tried++) {
    const name = queriedName(random, known);
    const expected = decidedNaively(meanings, name);
    const found = decided(policy, name);
    if (found !== expected) assert.equal(found, expected, name);
    kinds.set(found.slice(0, 4), (kinds.get(found.slice(0, 4)) ?? 0) + 1);
  }
  // Names without a match, or always with the same, would prove nothing.
  for (const kind of ['pass', 'bloc']) assert.ok((kinds.get(kind) ?? 0) > names / 20, kind);
  assert.ok((kinds.get('allo') ?? 0) > 0);
});
