// Everything that we know ourselves, in one tree: local records, our own names, zones that are never sent
// out, and the zones that have upstreams of their own. Added from the general to the particular: what a
// setting says about a name replaces the default.

import { noRank, type Verdict } from '#policy';
import { ipBytes, nameFromText } from '#wire';
import { absent, empty, forward, noRecords, own, type LocalName } from './local-name.ts';
import { readLocalRecords, type LocalRecordOptions } from './local-records.ts';
import { NameTree } from './name-tree.ts';
import { reverseName, reverseZones } from './reverse-names.ts';
import { absentZones, discoveryZone, firefoxCanary, localhostZone, relayNames } from './special-zones.ts';

export interface LocalOptions {
  readonly records: LocalRecordOptions;
  readonly own: OwnNames;
  readonly special: SpecialDomains;
  /** Domains for which upstreams of their own are set. */
  readonly routedZones: readonly string[];
  /** Networks whose reverse lookups have upstreams of their own. */
  readonly routedNetworks: readonly string[];
}

interface OwnNames {
  /** The first one is also what our addresses resolve to. */
  readonly names: readonly string[];
  /** Addresses of this machine, as text. */
  readonly addresses: readonly string[];
}

export interface SpecialDomains {
  readonly mozillaCanary: boolean;
  readonly iCloudPrivateRelay: boolean;
  readonly designatedResolver: boolean;
}

const localhostTtlSeconds = 3600;
const ownTtlSeconds = 60;

export function createLocalNames(options: LocalOptions): NameTree<LocalName> {
  const tree = new NameTree<LocalName>();
  for (const zone of absentZones) tree.addZone(zone, absent);
  addLocalhost(tree);
  const networks = options.routedNetworks.flatMap(reverseZones);
  for (const zone of [...options.routedZones, ...networks]) tree.addZone(zone, forward);
  addOwn(tree, options.own);
  addRecords(tree, options.records);
  return tree;
}

/** A name inside a zone that is never sent out, or without a dot, is not sent out in any type. */
function addRecords(tree: NameTree<LocalName>, options: LocalRecordOptions): void {
  const records = [...readLocalRecords(options)].map(([name, value]) => {
    const wire = nameFromText(name.replace(/^\*\./u, ''));
    const around = wire === undefined ? undefined : tree.find(wire, wire.length);
    const isKnownOutside = around === undefined || around.kind === 'forward';
    return [name, { ...value, asksOthers: isKnownOutside && name.includes('.') }] as const;
  });
  for (const [name, value] of records) {
    tree.add(name, value);
    addAbove(tree, name);
  }
}

/** RFC 8020: what has something below it is there, even if it has nothing itself. */
function addAbove(tree: NameTree<LocalName>, name: string): void {
  const labels = name.split('.');
  for (let above = 1; above < labels.length; above++) {
    const text = labels.slice(above).join('.');
    const wire = nameFromText(text);
    if (wire !== undefined && tree.find(wire, wire.length)?.kind === 'absent') tree.add(text, empty);
  }
}

function specialVerdict(kind: 'nx' | 'nodata'): Verdict {
  return {
    kind: 'block',
    reason: 'special',
    rank: noRank,
    ruleId: 0,
    listId: 0,
    form: { kind },
    text: 'special',
  };
}

/** Names that an allowing rule sets free again; they are looked for after the policy has spoken. */
export function createSpecialNames(special: SpecialDomains): NameTree<Verdict> {
  const tree = new NameTree<Verdict>();
  const isGone = specialVerdict('nx');
  if (special.mozillaCanary) for (const name of firefoxCanary) tree.add(name, isGone);
  if (special.iCloudPrivateRelay) for (const name of relayNames) tree.add(name, isGone);
  // RFC 9462 section 6.4: a resolver that is no designated one has nothing to tell there.
  if (special.designatedResolver) tree.addZone(discoveryZone, specialVerdict('nodata'));
  return tree;
}

/** RFC 6761 section 6.3: the loopback address, also for what is below. */
function addLocalhost(tree: NameTree<LocalName>): void {
  const ipv4 = Uint8Array.of(127, 0, 0, 1);
  const ipv6 = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
  const ttlSeconds = localhostTtlSeconds;
  tree.addZone(localhostZone, { ...noRecords, ipv4: [ipv4], ipv6: [ipv6], ttlSeconds });
  for (const address of [ipv4, ipv6]) tree.add(reverseName(address), pointingTo(localhostZone, ttlSeconds));
  for (const address of [ipv4, ipv6]) addAbove(tree, reverseName(address));
}

function addOwn(tree: NameTree<LocalName>, { names, addresses }: OwnNames): void {
  for (const name of names) tree.add(name, own);
  const [first] = names;
  if (first === undefined) return;
  for (const address of addresses) {
    const bytes = ipBytes(address);
    if (bytes === undefined) continue;
    tree.add(reverseName(bytes), pointingTo(first, ownTtlSeconds));
    addAbove(tree, reverseName(bytes));
  }
}

function pointingTo(name: string, ttlSeconds: number): LocalName {
  const pointer = nameFromText(name);
  const pointers = pointer === undefined ? [] : [pointer];
  return { ...noRecords, pointers, ttlSeconds };
}
