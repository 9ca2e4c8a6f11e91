// Lines of an unbound configuration (unbound.conf(5), local-zone and local-data). A zone applies to its name
// and everything below; data to its name alone. A redirected zone is answered with the data of its name, so
// its rule waits for the data line that follows, and is emitted without data if none does.

import { addressBytes, addressForm } from './address-text.ts';
import { readDomainText } from './domain-text.ts';
import { Invalid, Skip } from './reasons.ts';
import {
  dropOptions,
  formOptions,
  nodataOptions,
  nullOptions,
  nxOptions,
  refusedOptions,
} from './rule-options.ts';
import type { RuleScan } from './rule-scan.ts';
import type { RuleOptions } from './scanned-rule.ts';

const ZONE = /^local-zone:\s*(["']?)([^"'\s]+)\1\s+(["']?)([a-z_]+)\3\s*(?:#.*)?$/;
const DATA = /^local-data:\s*(["'])\s*(\S+)\s+(?:(?:\d+|IN)\s+){0,2}(?:A|AAAA)\s+(\S+)\s*\1\s*(?:#.*)?$/i;
const RULE_START = /^local-(?:zone|data):/;
const SETTING =
  /^(?:server|remote-control|forward-zone|stub-zone|view|rpz|include|local-data-ptr|access-control):/;

const ZONE_OPTIONS: ReadonlyMap<string, RuleOptions> = new Map([
  ['always_nxdomain', nxOptions],
  ['static', nxOptions],
  ['always_nodata', nodataOptions],
  ['always_null', nullOptions],
  ['refuse', refusedOptions],
  ['always_refuse', refusedOptions],
  ['deny', dropOptions],
  ['always_deny', dropOptions],
  ['inform_deny', dropOptions],
]);
const REDIRECTS: ReadonlySet<string> = new Set(['redirect', 'inform_redirect']);
/** These change nothing for names without their own data. */
const HARMLESS: ReadonlySet<string> = new Set([
  'transparent',
  'typetransparent',
  'inform',
  'nodefault',
  'noview',
]);

/** False when it is not a line of unbound. */
export function isUnboundLine(scan: RuleScan, text: string): boolean {
  if (RULE_START.test(text)) {
    scanUnboundRule(scan, text);
    return true;
  }
  if (!SETTING.test(text)) return false;
  if (!/^\w+(?:-\w+)?:$/.test(text)) scan.skip(Skip.setting);
  return true;
}

function scanUnboundRule(scan: RuleScan, text: string): void {
  const zone = ZONE.exec(text);
  if (zone !== null) {
    closeRedirect(scan);
    return scanZone(scan, zone[2] ?? '', zone[4] ?? '');
  }
  const data = DATA.exec(text);
  if (data !== null) return scanData(scan, data[2] ?? '', data[3] ?? '');
  if (text.startsWith('local-data:')) return scan.skip(Skip.setting);
  scan.reject('not a local-zone line: a name and a type are needed');
}

function scanZone(scan: RuleScan, name: string, type: string): void {
  if (name === '.') return scan.reject(Invalid.everything);
  const problem = readDomainText(name, scan.domain);
  if (problem !== undefined) return scan.reject(problem);
  const options = ZONE_OPTIONS.get(type);
  if (options !== undefined) return scan.emit('unbound', 'block', 'below', options);
  if (type === 'always_transparent') return scan.emit('unbound', 'allow', 'below');
  if (HARMLESS.has(type)) return scan.skip(Skip.setting);
  if (!REDIRECTS.has(type)) return scan.reject(`an unknown type of local-zone: ${type}`);
  scan.zone.redirect = name;
  scan.zone.redirectLine = scan.line;
  scan.zone.isRedirectAnswered = false;
}

function scanData(scan: RuleScan, name: string, address: string): void {
  const isOfRedirect = sameName(name, scan.zone.redirect);
  if (!isOfRedirect) closeRedirect(scan);
  const bytes = addressBytes(address);
  if (bytes === undefined) return scan.reject(`not an address: ${address}`);
  const problem = readDomainText(name, scan.domain);
  if (problem !== undefined) return scan.reject(problem);
  if (isOfRedirect) scan.zone.isRedirectAnswered = true;
  scan.emit('unbound', 'block', isOfRedirect ? 'below' : 'exact', formOptions(addressForm(bytes)));
}

function sameName(a: string, b: string): boolean {
  return a.replace(/\.$/, '').toLowerCase() === b.replace(/\.$/, '').toLowerCase();
}

/** Closes a redirected zone without data; also called at the end of the text. */
export function closeRedirect(scan: RuleScan): void {
  const { zone } = scan;
  if (zone.isRedirectAnswered || readDomainText(zone.redirect, scan.domain) !== undefined) return;
  zone.isRedirectAnswered = true;
  const { line } = scan;
  scan.line = zone.redirectLine;
  scan.emit('unbound', 'block', 'below');
  scan.line = line;
}
