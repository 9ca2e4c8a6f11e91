// The value of $dnsrewrite: an address, a name, or a response code, alone or as `code;type;value`.
// Unsupported answers (other codes, other types of records) make the rule invalid, with a reason, instead of
// a rule that does something else.

import type { AnswerForm } from '../verdict.ts';
import { addressBytes, addressesForm } from './address-text.ts';
import { domainBytes } from './domain-text.ts';
import type { DomainReader } from './domain-reader.ts';

const CODES: ReadonlyMap<string, AnswerForm> = new Map([
  ['NOERROR', { kind: 'nodata' }],
  ['NXDOMAIN', { kind: 'nx' }],
  ['REFUSED', { kind: 'refused' }],
]);
const OTHER_CODE = /^(?:SERVFAIL|FORMERR|NOTIMP|NOTIMPL|YXDOMAIN|YXRRSET|NXRRSET|NOTAUTH|NOTZONE)$/;

/** The answer, or the problem as text. */
export function readRewrite(value: string, reader: DomainReader): AnswerForm | string {
  if (value === '') return '$dnsrewrite needs a value';
  const [code = '', type = '', ...rest] = value.split(';');
  if (OTHER_CODE.test(code)) return `$dnsrewrite cannot answer ${code}`;
  const known = CODES.get(code);
  if (known === undefined) {
    return value.includes(';') ? `an unknown code in $dnsrewrite: ${code}` : shortForm(value, reader);
  }
  if (type === '' || known.kind !== 'nodata') return known;
  return recordForm(type.toUpperCase(), rest.join(';'), reader);
}

function shortForm(value: string, reader: DomainReader): AnswerForm | string {
  const address = addressBytes(value);
  return address === undefined ? nameForm(value, reader) : addressesForm([address]);
}

function nameForm(value: string, reader: DomainReader): AnswerForm | string {
  const target = domainBytes(value, reader);
  return target === undefined ? `not a name or address in $dnsrewrite: ${value}` : { kind: 'cname', target };
}

function recordForm(type: string, value: string, reader: DomainReader): AnswerForm | string {
  if (type === 'CNAME') return nameForm(value, reader);
  if (type !== 'A' && type !== 'AAAA') return `$dnsrewrite cannot answer with ${type} records`;
  const address = addressBytes(value);
  const isRight = address?.length === (type === 'A' ? 4 : 16);
  return address !== undefined && isRight ? addressesForm([address]) : `not an address for ${type}: ${value}`;
}
