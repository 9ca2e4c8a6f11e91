// The stored form of what users type as a domain, and back. Exact names become A-labels in lower case, so
// that one name has one form whatever the keyboard; for people they are shown in their own script. The
// conversion of the platform also turns numbers into addresses (10.1 becomes 10.0.0.1), so it sees only what
// needs it.

import { domainToASCII, domainToUnicode } from 'node:url';

const nameLengthMax = 253;
const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Nothing when the text cannot be a domain. */
export const canonicalDomain = (text: string): string | undefined => {
  const bare = text.replace(/\.$/, '').toLowerCase();
  const ascii = isAscii(bare) ? bare : domainToASCII(bare);
  const isName =
    ascii.length > 0 && ascii.length <= nameLengthMax && ascii.split('.').every((part) => label.test(part));
  return isName ? ascii : undefined;
};

/** The name in a rule as it is stored (`*.xn--…;reply=NXDOMAIN`) for people; what is around it stays. */
export const shownDomain = (domain: string): string => {
  if (!domain.includes('xn--')) return domain;
  const [, star = '', name = '', extensions = ''] = /^(\*\.)?([^;]*)(.*)$/s.exec(domain) ?? [];
  return `${star}${domainToUnicode(name) || name}${extensions}`;
};

const isAscii = (text: string): boolean => /^[\u0021-\u007e]*$/.test(text);
