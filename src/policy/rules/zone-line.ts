// Lines of a response policy zone (RPZ, draft-vixie-dnsop-dns-rpz): a record whose owner is the trigger and
// whose data is the action. `x CNAME .` is NXDOMAIN for x alone, `*.x CNAME .` for what is below it. The
// zone's own records and directives are not rules and are ignored.

import { addressBytes, addressForm } from './address-text.ts';
import { domainBytes, readDomainText } from './domain-text.ts';
import { Invalid, Skip } from './reasons.ts';
import { dropOptions, formOptions, nodataOptions, nxOptions } from './rule-options.ts';
import { rpzAddress } from './rpz-address.ts';
import type { RuleScan } from './rule-scan.ts';
import type { RuleAction, RuleOptions } from './scanned-rule.ts';

const RECORD = /^(\S+)\s+(?:(?:\d+[smhdw]?|IN)\s+){0,2}(CNAME|A|AAAA|TXT|MX|PTR|SRV|DNAME)\s+(\S.*)$/i;
const OWN_RECORD = /^(?:\S+\s+)?(?:(?:\d+[smhdw]?|IN)\s+){0,2}(?:SOA|NS)\s+\S/i;
const DIRECTIVE = /^\$(ORIGIN|TTL|INCLUDE|GENERATE)\s+(\S+)/i;
const COMMENT = /;.*$/;
const OTHER_TRIGGER = /\.rpz-(?:nsip|nsdname|client-ip)$/;
const ADDRESS_TRIGGER = /\.rpz-ip$/;

/** Data that stands for an action instead of a name. */
const ACTIONS: ReadonlyMap<string, { readonly action: RuleAction; readonly options?: RuleOptions }> = new Map(
  [
    ['.', { action: 'block', options: nxOptions }],
    ['*.', { action: 'block', options: nodataOptions }],
    ['rpz-drop', { action: 'block', options: dropOptions }],
    ['rpz-passthru', { action: 'allow' }],
  ],
);

/** False when it is not a line of a zone. */
export function isZoneLine(scan: RuleScan, text: string): boolean {
  const directive = DIRECTIVE.exec(text);
  if (directive !== null) {
    if (directive[1]?.toUpperCase() === 'ORIGIN') scan.zone.origin = withoutDot(directive[2] ?? '');
    return true;
  }
  const bare = text.replace(COMMENT, '').trimEnd();
  const record = RECORD.exec(bare);
  if (record === null) return isOwnRecord(scan, bare);
  scanRecord(scan, ownerOf(scan, record[1] ?? ''), (record[2] ?? '').toUpperCase(), record[3] ?? '');
  return true;
}

function isOwnRecord(scan: RuleScan, bare: string): boolean {
  if (!OWN_RECORD.test(bare)) return false;
  scan.zone.open(bare);
  return true;
}

function withoutDot(name: string): string {
  return name.replace(/\.$/, '').toLowerCase();
}

/** Relative to the origin if it was absolute. */
function ownerOf(scan: RuleScan, text: string): string {
  const owner = withoutDot(text);
  const suffix = `.${scan.zone.origin}`;
  return text.endsWith('.') && suffix !== '.' && owner.endsWith(suffix)
    ? owner.slice(0, -suffix.length)
    : owner;
}

function scanRecord(scan: RuleScan, owner: string, type: string, data: string): void {
  if (owner === '@') return;
  if (OTHER_TRIGGER.test(owner)) return scan.skip(Skip.trigger);
  if (type === 'CNAME') return scanAction(scan, owner, data);
  if (type !== 'A' && type !== 'AAAA') return scan.skip(Skip.setting);
  const bytes = addressBytes(data);
  if (bytes === undefined) return scan.reject(`not an address: ${data}`);
  emitOwner(scan, owner, 'block', formOptions(addressForm(bytes)));
}

function scanAction(scan: RuleScan, owner: string, data: string): void {
  const target = data === '.' || data === '*.' ? data : withoutDot(data);
  const known = ACTIONS.get(target);
  if (known !== undefined) return emitOwner(scan, owner, known.action, known.options);
  if (target === 'rpz-tcp-only') return scan.skip(Skip.setting);
  // The oldest way to allow a name: it is an alias of itself.
  if (target === owner) return emitOwner(scan, owner, 'allow', undefined);
  const name = domainBytes(target, scan.domain);
  if (name === undefined) return scan.reject(`not a valid CNAME target: ${data}`);
  emitOwner(scan, owner, 'block', formOptions({ kind: 'cname', target: name }));
}

function emitOwner(
  scan: RuleScan,
  owner: string,
  action: RuleAction,
  options: RuleOptions | undefined,
): void {
  if (owner === '*') return scan.reject(Invalid.everything);
  if (ADDRESS_TRIGGER.test(owner)) {
    const address = rpzAddress(owner.replace(ADDRESS_TRIGGER, ''));
    if (address === undefined) return scan.reject('not an address of an RPZ trigger');
    return scan.emitAddress('rpz', action, address, options);
  }
  const isBelow = owner.startsWith('*.');
  const problem = readDomainText(isBelow ? owner.slice(2) : owner, scan.domain);
  if (problem !== undefined) return scan.reject(problem);
  scan.emit('rpz', action, isBelow ? 'onlyBelow' : 'exact', options);
}
