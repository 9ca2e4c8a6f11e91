// Converts domains between the form that users type and the stored form. Exact names are stored as lower-case
// A-labels, so that each name has one form, and shown in Unicode. Node's conversion also turns numbers into
// addresses (10.1 becomes 10.0.0.1), so it is used only for names with non-ASCII characters.

import { domainToASCII, domainToUnicode } from 'node:url';
import { MAX_NAME_CHARACTERS } from '#wire';

const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Undefined when the text is not a valid domain name. */
export function canonicalDomain(text: string): string | undefined {
  const bare = text.replace(/\.$/, '').toLowerCase();
  const ascii = isAscii(bare) ? bare : domainToASCII(bare);
  const isName =
    ascii.length > 0 &&
    ascii.length <= MAX_NAME_CHARACTERS &&
    ascii.split('.').every((part) => label.test(part));
  return isName ? ascii : undefined;
}

/** Shows the name in a stored rule (`*.xn--…;reply=NXDOMAIN`) in Unicode; wildcard and extensions stay. */
export function shownDomain(domain: string): string {
  if (!domain.includes('xn--')) return domain;
  const [, star = '', name = '', extensions = ''] = /^(\*\.)?([^;]*)(.*)$/s.exec(domain) ?? [];
  return `${star}${domainToUnicode(name) || name}${extensions}`;
}

function isAscii(text: string): boolean {
  return /^[\u0021-\u007e]*$/.test(text);
}
