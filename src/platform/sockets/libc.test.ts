// The bindings against the real C library of this machine: values, flags of descriptors and names of errors.
// Without the library, only the result of loading is tested.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import test from 'node:test';
import { loadLibc } from './libc.ts';
import { AF_INET, SOCK_CLOEXEC, SOCK_NONBLOCK, SOCK_STREAM } from './linux-constants.ts';

const libc = loadLibc();
const supported = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);

test('loads on supported systems only', () => {
  assert.equal(libc !== undefined, supported);
});

test('sockets and their copies are close-on-exec and non-blocking', { skip: libc === undefined }, () => {
  assert.ok(libc);
  const made = libc.socket(AF_INET, SOCK_STREAM);
  assert.ok(made.ok);
  const copied = libc.dup(made.value);
  assert.ok(copied.ok);
  for (const fd of [made.value, copied.value]) {
    const flags = /flags:\s*(\d+)/u.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '';
    const wanted = SOCK_CLOEXEC | SOCK_NONBLOCK;
    assert.equal(Number.parseInt(flags, 8) & wanted, wanted);
    assert.ok(libc.close(fd).ok);
  }
});

test('failures carry the name of their errno', { skip: libc === undefined }, () => {
  assert.ok(libc);
  assert.deepEqual(libc.close(-1), { ok: false, code: 'EBADF' });
  assert.deepEqual(libc.dup(-1), { ok: false, code: 'EBADF' });
  assert.deepEqual(libc.getsockname(0x7fff_ffff), { ok: false, code: 'EBADF' });
  assert.deepEqual(libc.socket(9999, SOCK_STREAM), { ok: false, code: 'EAFNOSUPPORT' });
  assert.deepEqual(libc.interfaceIndex('no-such-if'), { ok: false, code: 'ENODEV' });
});

test('interfaces have the numbers that Node reports', { skip: libc === undefined }, () => {
  assert.ok(libc);
  for (const [name, addresses = []] of Object.entries(networkInterfaces())) {
    for (const address of addresses) {
      if (address.family !== 'IPv6' || !address.scopeid) continue;
      assert.deepEqual(libc.interfaceIndex(name), { ok: true, value: address.scopeid });
    }
  }
});
