// Who may read the metrics, case by case: by address, behind proxies, with a token. Sessions and the control
// socket are looked at on the running program.

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
  { title: 'loopback', may: true },
  { title: 'IPv6 loopback', address: '::1', may: true },
  { title: 'another address', address: '192.0.2.1', may: false },
  { title: 'a range', allowed: ['192.0.2.0/24'], address: '192.0.2.1', may: true },
  { title: 'nobody', allowed: [], may: false },
  { title: 'an untrusted proxy on this machine', headers: { 'x-forwarded-for': '8.8.8.8' }, may: false },
  { title: 'the same, by its other name', headers: { forwarded: 'for=8.8.8.8' }, may: false },
  {
    title: 'behind a trusted proxy',
    allowed: ['192.0.2.0/24'],
    address: '192.0.2.7',
    peer: '127.0.0.1',
    headers: { 'x-forwarded-for': '192.0.2.7' },
    may: true,
  },
  {
    title: 'a stranger behind a trusted proxy that is allowed itself',
    address: '8.8.8.8',
    peer: '127.0.0.1',
    headers: { 'x-forwarded-for': '8.8.8.8' },
    may: false,
  },
  {
    title: 'the token',
    address: '192.0.2.1',
    token,
    headers: { authorization: `Bearer ${token}` },
    may: true,
  },
  {
    title: 'the token, in another case of the scheme',
    address: '192.0.2.1',
    token,
    headers: { authorization: `bearer  ${token} ` },
    may: true,
  },
  {
    title: 'a part of the token',
    address: '192.0.2.1',
    token,
    headers: { authorization: `Bearer ${token.slice(1)}` },
    may: false,
  },
  {
    title: 'the token as a password',
    address: '192.0.2.1',
    token,
    headers: { authorization: `Basic ${token}` },
    may: false,
  },
  { title: 'no token is set', address: '192.0.2.1', headers: { authorization: 'Bearer ' }, may: false },
];

describe('who may read the metrics', () => {
  for (const one of cases)
    test(`${one.title}: ${one.may ? 'yes' : 'no'}`, () => {
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
