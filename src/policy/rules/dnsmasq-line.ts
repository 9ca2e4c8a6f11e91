// Lines of a dnsmasq configuration: `address=/x/…` answers for x and everything below, `server=/x/` and
// `local=/x/` mean that no other server knows it. With `#` instead of an address `address` returns the null
// address, and `server` uses the normal resolvers, which is an exception from a wider line.

import { addressBytes, addressForm } from './address-text.ts';
import { readDomainText } from './domain-text.ts';
import { MAX_NAMES_PER_SETTING } from './limits.ts';
import { Invalid, Skip } from './reasons.ts';
import { formOptions, nullOptions, nxOptions } from './rule-options.ts';
import type { RuleScan } from './rule-scan.ts';
import type { RuleAction, RuleOptions } from './scanned-rule.ts';

const RULE = /^(?:--)?(address|server|local)=\/(.*)$/;
const SETTING = /^(?:--)?(?:[a-z]+-)*[a-z]+=[^$^|]*$/;
const COMMENT = /\s#.*$/;

/** False when it is not a line of dnsmasq. */
export function isDnsmasqLine(scan: RuleScan, text: string): boolean {
  const found = RULE.exec(text.replace(COMMENT, '').trimEnd());
  if (found === null) {
    if (!SETTING.test(text)) return false;
    scan.skip(Skip.setting);
    return true;
  }
  const [, setting = '', rest = ''] = found;
  const names = rest.split('/');
  const target = names.pop() ?? '';
  if (names.length > MAX_NAMES_PER_SETTING) scan.reject(Invalid.tooManyNames);
  else if (setting === 'address') scanAddress(scan, names, target);
  else scanServer(scan, names, target);
  return true;
}

function scanAddress(scan: RuleScan, names: readonly string[], target: string): void {
  if (target === '') return emitAll(scan, names, 'block', nxOptions);
  if (target === '#') return emitAll(scan, names, 'block', nullOptions);
  const bytes = addressBytes(target);
  if (bytes === undefined) return scan.reject(`not an address: ${target}`);
  emitAll(scan, names, 'block', formOptions(addressForm(bytes)));
}

function scanServer(scan: RuleScan, names: readonly string[], target: string): void {
  if (target === '') return emitAll(scan, names, 'block', nxOptions);
  if (target === '#') return emitAll(scan, names, 'allow', undefined);
  scan.skip(Skip.forwarding);
}

function emitAll(
  scan: RuleScan,
  names: readonly string[],
  action: RuleAction,
  options: RuleOptions | undefined,
): void {
  if (names.length === 0) return scan.reject(Invalid.notDomain);
  for (const name of names) emitOne(scan, name, action, options);
}

function emitOne(scan: RuleScan, name: string, action: RuleAction, options: RuleOptions | undefined): void {
  if (name === '#') return scan.reject(Invalid.everything);
  const isOnlyBelow = name.startsWith('*.');
  const problem = readDomainText(name.replace(/^\*?\./, ''), scan.domain);
  if (problem !== undefined) return scan.reject(problem);
  scan.emit('dnsmasq', action, isOnlyBelow ? 'onlyBelow' : 'below', options);
}
