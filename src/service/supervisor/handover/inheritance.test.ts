import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { packInheritance, inherit, inheritanceVariable, type Inheritable } from './inheritance.ts';

const inheritable: Inheritable = {
  dataDir: '/data',
  lock: 30,
  control: { kind: 'unix', fd: 31, path: '/data/control.sock', backlog: 5 },
  web: [
    {
      setting: 'web.http',
      address: { family: 'ipv4', host: '127.0.0.1', port: 80, zone: '' },
      listener: { kind: 'tcp', fd: 32, family: 'ipv4', address: '127.0.0.1', port: 80, backlog: 5 },
    },
  ],
  dns: [
    {
      id: 3,
      transport: 'udp',
      wanted: '*:53',
      family: 'ipv4',
      address: '127.0.0.1',
      port: 53,
      fds: [33, 34],
    },
  ],
  launcher: { code: 35, life: 36 },
};

function problemOf(outcome: unknown): string {
  return typeof outcome === 'string' ? outcome : '';
}

describe('the inheritance', () => {
  it('has the descriptor numbers of the successor, and all other fields unchanged', () => {
    const packed = packInheritance(inheritable, 77);
    assert.ok(typeof packed !== 'string');
    assert.deepEqual(packed.descriptors, [30, 31, 32, 33, 34, 35, 36]);
    const env: Record<string, string | undefined> = { [inheritanceVariable]: packed.text, OTHER: 'x' };
    const inherited = inherit(env);
    assert.ok(typeof inherited === 'object');
    assert.deepEqual(env, { OTHER: 'x' });
    assert.deepEqual([inherited.predecessor, inherited.lock, inherited.control?.fd], [77, 4, 5]);
    assert.deepEqual(
      [inherited.web[0]?.listener.fd, inherited.dns[0]?.fds, inherited.launcher],
      [6, [7, 8], { code: 9, life: 10 }],
    );
    assert.deepEqual({ ...inherited.dns[0], fds: [] }, { ...inheritable.dns[0], fds: [] });
  });

  it('is undefined in a process without a predecessor', () => assert.equal(inherit({}), undefined));

  for (const [what, text] of [
    ['another format', '{"format":0}'],
    ['nonsense', '{'],
  ] as const)
    it(`of ${what} is a problem with an explanation`, () =>
      assert.match(problemOf(inherit({ [inheritanceVariable]: text })), /hands over|unset it/));

  it('that is too large for the environment is refused', () => {
    const [one] = inheritable.dns;
    assert.ok(one);
    const many = Array.from({ length: 2_000 }, () => one);
    assert.match(problemOf(packInheritance({ ...inheritable, dns: many }, 1)), /too many sockets/);
  });
});
