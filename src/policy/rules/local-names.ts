// Names of the machine itself, with which every hosts file begins. They are neither rules nor mistakes, so
// they are not reported.

import { nameToText } from '#wire';

import type { DomainReader } from './domain-reader.ts';

const LOCAL_NAMES: ReadonlySet<string> = new Set([
  'localhost',
  'localhost.localdomain',
  'localhost4',
  'localhost4.localdomain4',
  'localhost6',
  'localhost6.localdomain6',
  'local',
  'loopback',
  'broadcasthost',
  'ip6-localhost',
  'ip6-loopback',
  'ip6-localnet',
  'ip6-mcastprefix',
  'ip6-allnodes',
  'ip6-allrouters',
  'ip6-allhosts',
]);

const LOWER_L = 0x6c;
const MAX_LABELS = 2;

/** Creates a string only for names that could be one of them. */
export function isLocalName({ name, labels }: DomainReader): boolean {
  if (labels > MAX_LABELS) return false;
  if (labels === MAX_LABELS && !mayBeLocalhost(name)) return false;
  return LOCAL_NAMES.has(nameToText(name));
}

function mayBeLocalhost(name: Uint8Array): boolean {
  const length = name[0] ?? 0;
  return (length === 9 || length === 10) && name[1] === LOWER_L && name[length + 2] === LOWER_L;
}
