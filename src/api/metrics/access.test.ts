// Which requests may read the metrics: by address, behind proxies, with a token. Black-box tests cover
// sessions and the control socket.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mayReadMetrics } from './access.ts';

const token = 'abcdefghijklmnop';

interface Case {
  readonly title: string;
  readonly allowed?: readonly string[];
  readonly address?: string;
  readonly peer?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string;
  readonly may: boolean;
}

const cases: readonly Case[] = [
  { title: 'from loopback', may: true },
  { title: 'from IPv6 loopback', address: '::1', may: true },
  { title: 'from another address', address: '192.0.2.1', may: false },
  { title: 'from an allowed range', allowed: ['192.0.2.0/24'], address: '192.0.2.1', may: true },
  { title: 'without allowed addresses', allowed: [], may: false },
  { title: 'from an untrusted local proxy', headers: { 'x-forwarded-for': '8.8.8.8' }, may: false },
  { title: 'from an untrusted local proxy (Forwarded)', headers: { forwarded: 'for=8.8.8.8' }, may: false },
  {
    title: 'from an allowed address behind a trusted proxy',
    allowed: ['192.0.2.0/24'],
    address: '192.0.2.7',
    peer: '127.0.0.1',
    headers: { 'x-forwarded-for': '192.0.2.7' },
    may: true,
  },
  {
    title: 'from another address behind a trusted proxy whose own address is allowed',
    address: '8.8.8.8',
    peer: '127.0.0.1',
    headers: { 'x-forwarded-for': '8.8.8.8' },
    may: false,
  },
  {
    title: 'with the token',
    address: '192.0.2.1',
    token,
    headers: { authorization: `Bearer ${token}` },
    may: true,
  },
  {
    title: 'with the token and a scheme in lower case',
    address: '192.0.2.1',
    token,
    headers: { authorization: `bearer  ${token} ` },
    may: true,
  },
  {
    title: 'with a part of the token',
    address: '192.0.2.1',
    token,
    headers: { authorization: `Bearer ${token.slice(1)}` },
    may: false,
  },
  {
    title: 'with the token as Basic authentication',
    address: '192.0.2.1',
    token,
    headers: { authorization: `Basic ${token}` },
    may: false,
  },
  {
    title: 'with an empty token while none is set',
    address: '192.0.2.1',
    headers: { authorization: 'Bearer ' },
    may: false,
  },
];

describe('mayReadMetrics for a request', () => {
  for (const one of cases)
    test(`${one.title}: ${one.may ? 'allowed' : 'refused'}`, () => {
      const address = one.address ?? '127.0.0.1';
      const settings = {
        enabled: true,
        allowed: one.allowed ?? ['127.0.0.0/8', '::1'],
        token: one.token ?? '',
      };
      const headers = Object.entries(one.headers ?? {}).map(([name, value]) => ({ name, value }));
      const from = {
        address,
        peer: one.peer ?? address,
        userAgent: null,
        isTls: false,
        httpVersion: '1.1',
        method: 'GET',
        headers,
        hasSid: false,
      };
      assert.equal(mayReadMetrics(settings, undefined, from), one.may);
    });
});
