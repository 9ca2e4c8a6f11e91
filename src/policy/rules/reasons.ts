// Why a line is not a rule, as in the report. Skipped lines have a meaning for a browser or another resolver;
// invalid ones have none. One table, so that the same problem has the same text.

import {
  domainDash,
  domainEmptyLabel,
  domainFine,
  domainNumber,
  domainTooLong,
  type DomainStatus,
} from './domain-reader.ts';

export const Skip = {
  cosmetic: 'a cosmetic rule: it hides parts of a page',
  path: 'a rule for parts of an address: DNS sees names only',
  url: 'the address of a page: DNS sees names only',
  modifier: 'a modifier for browsers: DNS cannot distinguish such requests',
  forwarding: 'forwards a domain to another resolver: not a rule',
  setting: 'a setting of another program: not a rule',
  address: 'an address without a name',
  trigger: 'an RPZ trigger other than the queried name or the answered address',
} as const;

export const Invalid = {
  tooLong: 'the line is too long',
  control: 'the line holds control characters',
  html: 'markup of a page',
  several: 'several words without an address before them',
  single: 'a single word is not accepted as a domain',
  notDomain: 'not a domain',
  idn: 'cannot be converted to a DNS name (IDN)',
  everything: 'matches every name',
  tooManyNames: 'too many names in one line',
  tooManyPatterns: 'too many regular expressions in one list',
  tooManyLoose: 'too many loose regular expressions in one list, which slows down every query',
  patternTooLong: 'the regular expression is too long',
  patternTooLarge:
    'the regular expression is too large: its repetitions and classes stand for too many characters',
  patternTooCostly:
    'the regular expression is too expensive: its repetitions can take too many steps for a long name',
  wildcard: 'a wildcard stands for whole labels at the beginning of a domain, as in *.ads.example',
  rewriteException: 'an exception to $dnsrewrite is not supported',
} as const;

const DOMAIN_REASONS: Readonly<Record<DomainStatus, string>> = {
  [domainFine]: Invalid.notDomain,
  [domainEmptyLabel]: 'not a domain: an empty label',
  [domainTooLong]: 'not a domain: a label over 63 or a name over 253 characters',
  [domainNumber]: 'not a domain: its last label is a number',
  [domainDash]: 'not a domain: its last label begins or ends with a dash',
};

export function domainReason(status: DomainStatus): string {
  return DOMAIN_REASONS[status];
}
