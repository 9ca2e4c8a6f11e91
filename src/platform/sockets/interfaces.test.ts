// A kernel that does not list its interfaces must not cause addresses to be closed.

import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';

import { createInterfacesReader, readInterfaces } from './interfaces.ts';

test('the last known interfaces are returned while the kernel refuses', () => {
  let isRefused = true;
  const seen = networkInterfaces();
  const read = createInterfacesReader(() => {
    if (isRefused) throw new Error('uv_interface_addresses returned EMFILE');
    return seen;
  });
  assert.deepEqual(read(), {}, 'nothing is known before the first successful read');
  isRefused = false;
  assert.equal(read(), seen);
  isRefused = true;
  assert.equal(read(), seen);
});

test('the current interfaces are returned otherwise', () => {
  assert.deepEqual(readInterfaces(), networkInterfaces());
});
