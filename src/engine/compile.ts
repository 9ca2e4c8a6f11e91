// Options made ready for answering: texts become names and addresses once, when settings change.

import { ipBytes } from '#wire';
import type { BlockedAddresses, OwnAddresses } from './answer/composer.ts';
import { createLocalNames, createSpecialNames } from './local/local-names.ts';
import { NameTree } from './local/name-tree.ts';
import type { ChaosOptions, EngineOptions } from './options.ts';
import type { Compiled } from './state.ts';

/**
 * Endings that mean "at home" and not the Internet: their names may well have private addresses. Some are
 * reserved, the others are what routers use.
 */
const homeEndings: readonly string[] = [
  'lan',
  'home',
  'internal',
  'intranet',
  'private',
  'corp',
  'localdomain',
  'local',
  'home.arpa',
  'fritz.box',
  'localhost',
];

/** Ten thousand local names take a third of a second: they are only read again when they have changed. */
export function compileOptions(options: EngineOptions, before?: Compiled): Compiled {
  const isSameLocal =
    before !== undefined && JSON.stringify(before.options.local) === JSON.stringify(options.local);
  const own = ownAddresses(options);
  return {
    options,
    local: isSameLocal ? before.local : createLocalNames(options.local),
    special: createSpecialNames(options.local.special),
    rebindExempt: exemptNames(options),
    chaos: chaosTexts(options.chaos),
    blocked: blockedAddresses(options, own),
    own,
  };
}

function ownAddresses({ local }: EngineOptions): OwnAddresses {
  const all = local.own.addresses.flatMap((text) => ipBytes(text) ?? []);
  const ofLength = (length: number): Uint8Array[] => all.filter((bytes) => bytes.length === length);
  return { ipv4: ofLength(4), ipv6: ofLength(16) };
}

function blockedAddresses({ blocking }: EngineOptions, own: OwnAddresses): BlockedAddresses {
  const [ipv4, ipv6] = [ipBytes(blocking.ipv4), ipBytes(blocking.ipv6)];
  return {
    ipv4: ipv4 === undefined ? own.ipv4 : [ipv4],
    ipv6: ipv6 === undefined ? own.ipv6 : [ipv6],
    isFixed4: ipv4 !== undefined,
    isFixed6: ipv6 !== undefined,
  };
}

function exemptNames({ rebind, local }: EngineOptions): NameTree<true> {
  const tree = new NameTree<true>();
  for (const zone of [...homeEndings, ...local.routedZones, ...rebind.exempt]) tree.addZone(zone, true);
  return tree;
}

/** version.bind and its like, and the names by which clients find the API. */
function chaosTexts({ version, texts }: ChaosOptions): NameTree<readonly string[]> {
  const tree = new NameTree<readonly string[]>();
  for (const name of ['version.bind', 'version.server']) tree.add(name, [version]);
  for (const [name, values] of Object.entries(texts)) tree.add(name, values);
  return tree;
}
