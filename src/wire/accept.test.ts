import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { accept, accepted, ignored, writeHeaderError } from './accept.ts';
import { Rcode } from './codes.ts';
import { header, PLACE, placed } from '#testing/wire/bytes';

describe('accept', () => {
  const cases: readonly [string, readonly number[], number][] = [
    ['a plain query', header(1, 0x0100, 1), accepted],
    ['with an additional record', header(1, 0x0100, 1, 0, 0, 1), accepted],
    ['with two additional records', header(1, 0, 1, 0, 0, 2), accepted],
    ['AD, CD, TC and Z bits', header(1, 0x0270, 1), accepted],
    ['eleven bytes', header(1, 0x0100, 1).slice(0, 11), ignored],
    ['nothing', [], ignored],
    ['a response', header(1, 0x8180, 1), ignored],
    ['a response with another opcode', header(1, 0xa800, 1), ignored],
    ['NOTIFY', header(1, 0x2000, 1), Rcode.notImp],
    ['UPDATE', header(1, 0x2800, 1, 1, 1, 1), Rcode.notImp],
    ['no question', header(1, 0x0100, 0), Rcode.formErr],
    ['two questions', header(1, 0x0100, 2), Rcode.formErr],
    ['256 questions and one', header(1, 0x0100, 257), Rcode.formErr],
    ['an answer', header(1, 0x0100, 1, 1), Rcode.formErr],
    ['an authority record', header(1, 0x0100, 1, 0, 1), Rcode.formErr],
    ['three additional records', header(1, 0x0100, 1, 0, 0, 3), Rcode.formErr],
  ];
  for (const [name, bytes, expected] of cases) {
    it(name, () => {
      const packet = placed(Uint8Array.from(bytes));
      assert.equal(accept(packet, PLACE, bytes.length), expected);
    });
  }
});

describe('writeHeaderError', () => {
  it('keeps id, opcode and RD, and clears everything else', () => {
    const out = new Uint8Array(20).fill(0xff);
    const query = placed(Uint8Array.from(header(0xabcd, 0x2770, 1, 2, 3, 4)));
    assert.equal(writeHeaderError(out, 3, query, PLACE, Rcode.notImp), 12);
    assert.deepEqual([...out.subarray(3, 15)], header(0xabcd, 0xa104));
    assert.deepEqual([...out.subarray(0, 3), ...out.subarray(15)], Array(8).fill(0xff));
  });
});
