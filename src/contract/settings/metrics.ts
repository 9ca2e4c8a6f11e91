// Who may read GET /metrics. It has rules of its own because Prometheus has no session: it comes from an
// address or with a token.

import { addressRangeProblem } from './checks.ts';
import { flag, text, texts } from './declare.ts';

/** Too long to be guessed over the network, so that no attempt has to be counted. */
const tokenLengthMin = 16;
const tokenLengthMax = 512;

export const metrics = {
  enabled: flag({ default: true, help: 'Whether GET /metrics is there for Prometheus.' }),
  allowed: texts({
    default: ['127.0.0.0/8', '::1'],
    help:
      'Who may read it without a credential. Whoever is logged in always may. A request through a proxy ' +
      'that web.trustedProxies does not name has to bring a credential.',
    allowed: 'addresses or ranges such as 192.168.1.5 or fd00::/64',
    check: addressRangeProblem,
  }),
  token: text({
    default: '',
    help: 'Whoever sends this as "Authorization: Bearer …" may read it too. Empty: there is none.',
    allowed: `empty, or ${tokenLengthMin} to ${tokenLengthMax} printable ASCII characters without blanks`,
    check: (value) =>
      value === '' || (/^[\x21-\x7e]*$/.test(value) && isTokenLength(value.length))
        ? undefined
        : 'not a token',
    secret: true,
  }),
} as const;

function isTokenLength(length: number): boolean {
  return length >= tokenLengthMin && length <= tokenLengthMax;
}
