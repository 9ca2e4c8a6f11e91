// Which clients may read GET /metrics. It has its own rules because Prometheus has no session: it is
// identified by an address or a token.

import { limits } from '../limits.ts';
import { addressRangeProblem } from './checks.ts';
import { flag, text, texts } from './declare.ts';

const { minMetricsTokenLength: minTokenLength, metricsTokenLength: maxTokenLength } = limits;

export const metrics = {
  enabled: flag({ default: true, help: 'Whether GET /metrics is available for Prometheus.' }),
  allowed: texts({
    default: ['127.0.0.0/8', '::1'],
    help:
      'Addresses that may read it without a credential. Logged-in clients always may. A request through a ' +
      'proxy that is not in web.trustedProxies needs a credential.',
    allowed: 'addresses or ranges such as 192.168.1.5 or fd00::/64',
    check: addressRangeProblem,
  }),
  token: text({
    default: '',
    help: 'Clients that send this token as "Authorization: Bearer …" may read it too. Empty: no token.',
    allowed: `empty, or ${minTokenLength} to ${maxTokenLength} printable ASCII characters without blanks`,
    check: (value) =>
      value === '' || (/^[\x21-\x7e]*$/.test(value) && isTokenLength(value.length))
        ? undefined
        : 'not a token',
    secret: true,
  }),
} as const;

function isTokenLength(length: number): boolean {
  return length >= minTokenLength && length <= maxTokenLength;
}
