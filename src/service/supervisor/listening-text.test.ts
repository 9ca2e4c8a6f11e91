import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endpointText } from './listening-text.ts';

describe('an address in a log line', () => {
  const rows: readonly (readonly [endpoint: Parameters<typeof endpointText>[0], text: string])[] = [
    [{ address: '192.0.2.5', port: 53 }, '192.0.2.5:53'],
    [{ address: 'fd00::2', port: 53 }, '[fd00::2]:53'],
    [{ address: 'fe80::1%eth0', port: 53 }, '[fe80::1%eth0]:53'],
    [{ address: '::', port: 80, family: 'ipv6' }, '[::]:80'],
    [{ address: '::', port: 80, family: 'both' }, '*:80'],
  ];
  for (const [endpoint, text] of rows) it(`is ${text}`, () => assert.equal(endpointText(endpoint), text));
});
