import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { copyKept } from './copy-kept.ts';
import { Type } from './codes.ts';
import { MessageCheck } from './message-check.ts';
import { RecordCursor } from './record-cursor.ts';
import { bytesOf, header, opt, type Part, PLACE, placed, record, word } from '#testing/wire/bytes';
import { recordText } from './text/record-text.ts';

const question = bytesOf('www.a', word(1), word(1));
const RECORDS_AT = 12 + question.length;
function pointer(offset: number): number[] {
  return word(0xc000 | offset);
}
const own = pointer(12);
function zeros(count: number): number[] {
  return Array<number>(count).fill(0);
}
const address = record(own, Type.A, 9, [1, 2, 3, 4]);
/** Where the data of the first record begins when its owner is a pointer. */
const FIRST_DATA_AT = RECORDS_AT + 12;

const check = new MessageCheck();

/** 'malformed', 'odd' (must be rewritten) or 'sound'. */
function judge(message: Uint8Array): string {
  if (!check.isSound(placed(message), PLACE, message.length)) return 'malformed';
  return check.hasOddPointers ? 'odd' : 'sound';
}

function answers(count: number, ...parts: readonly Part[]): Uint8Array {
  return bytesOf(header(1, 0x8000, 1, count), question, ...parts);
}

const rows: readonly [title: string, expected: string, message: Uint8Array][] = [
  ['without records', 'sound', answers(0)],
  ['an address', 'sound', answers(1, address)],
  ['trailing bytes', 'sound', answers(1, address, 1, 2, 3)],
  [
    'a pointer to a name in data',
    'sound',
    answers(2, record(own, Type.CNAME, 9, [1, 0x62, 0]), record(pointer(FIRST_DATA_AT), Type.A, 9, zeros(4))),
  ],
  ['no question', 'malformed', bytesOf(header(1, 0x8000, 0, 0))],
  ['two questions', 'malformed', bytesOf(header(1, 0x8000, 2, 0), question, question)],
  ['a question with a pointer', 'malformed', bytesOf(header(1, 0x8000, 1, 0), 1, 0x61, own, zeros(4))],
  ['fewer records than said', 'malformed', answers(2, address)],
  ['an owner that points to itself', 'malformed', answers(1, record(pointer(RECORDS_AT), 1, 9, zeros(4)))],
  ['an owner that points forward', 'malformed', answers(1, record(pointer(RECORDS_AT + 2), 1, 9, zeros(4)))],
  ['an owner that points beyond the end', 'malformed', answers(1, record(pointer(0x3fff), 1, 9, zeros(4)))],
  ['an owner that points into the header', 'malformed', answers(1, record(pointer(4), 1, 9, zeros(4)))],
  ['a target that points to itself', 'malformed', answers(1, record(own, 5, 9, pointer(FIRST_DATA_AT)))],
  ['a target that points forward', 'malformed', answers(1, record(own, 5, 9, pointer(FIRST_DATA_AT + 2)), 0)],
  ['a target that is cut off', 'malformed', answers(1, record(own, Type.CNAME, 9, [3, 0x61]))],
  ['a target followed by bytes', 'malformed', answers(1, record(own, Type.CNAME, 9, [0, 0]))],
  ['an SOA without its numbers', 'malformed', answers(1, record(own, Type.SOA, 9, [0, 0, ...zeros(16)]))],
  ['an SOA', 'sound', answers(1, record(own, Type.SOA, 9, [0, 0, ...zeros(20)]))],
  ['an MX without a name', 'malformed', answers(1, record(own, Type.MX, 9, [0]))],
  ['an address of five bytes', 'malformed', answers(1, record(own, Type.A, 9, zeros(5)))],
  ['an IPv6 address of four bytes', 'malformed', answers(1, record(own, Type.AAAA, 9, zeros(4)))],
  ['a NAPTR', 'sound', answers(1, record(own, Type.NAPTR, 9, [0, 1, 0, 1, 1, 0x75, 0, 0, ...own]))],
  ['a NAPTR whose text overruns', 'malformed', answers(1, record(own, Type.NAPTR, 9, [0, 1, 0, 1, 9, 0, 0]))],
  ['a service with a compressed target', 'odd', answers(1, record(own, Type.HTTPS, 9, [0, 1, ...own]))],
  ['a service that points to itself', 'malformed', answers(1, record(own, 65, 9, [0, 1, ...pointer(36)]))],
  [
    'an owner that points to a TTL',
    'odd',
    answers(2, address, record(pointer(RECORDS_AT + 6), Type.A, 9, zeros(4))),
  ],
  [
    'data of an unknown type, whatever is in it',
    'sound',
    answers(1, record(own, 65_280, 9, pointer(FIRST_DATA_AT))),
  ],
  ['an OPT', 'sound', bytesOf(header(1, 0x8000, 1, 0, 0, 1), question, opt(1232))],
  ['two OPTs', 'malformed', bytesOf(header(1, 0x8000, 1, 0, 0, 2), question, opt(1), opt(2))],
  ['an OPT as an answer', 'malformed', answers(1, opt(1232))],
];

describe('the check of a whole message', () => {
  for (const [title, expected, message] of rows)
    it(`${title}: ${expected}`, () => assert.equal(judge(message), expected));

  it('more pointers than a name can have labels are malformed', () => {
    // In data that is not a name: each of them points to the previous one.
    const chain = (count: number): Uint8Array => {
      const data = [
        0,
        ...Array.from({ length: count }, (_, at) => pointer(FIRST_DATA_AT + 2 * at - 1)).flat(),
      ];
      data.splice(1, 2, ...pointer(FIRST_DATA_AT));
      return answers(
        2,
        record(own, 65_280, 9, data),
        record(pointer(FIRST_DATA_AT + data.length - 2), 1, 9, zeros(4)),
      );
    };
    assert.equal(judge(chain(100)), 'odd');
    assert.equal(judge(chain(127)), 'malformed');
  });
});

describe('a message of which some records are kept', () => {
  const message = answers(
    3,
    record(own, Type.CNAME, 9, [1, 0x62, ...pointer(16)]),
    record(pointer(FIRST_DATA_AT), Type.MX, 8, [0, 5, ...pointer(FIRST_DATA_AT)]),
    record(pointer(FIRST_DATA_AT), Type.HTTPS, 7, [0, 1, ...pointer(12), 0, 1, 0, 0]),
  );

  function kept(...numbers: readonly number[]): string[] | undefined {
    const keep = Uint8Array.from({ length: 3 }, (_, index) => Number(numbers.includes(index)));
    const out = new Uint8Array(512);
    const length = copyKept(placed(message), PLACE, message.length, keep, out);
    if (length === -1) return undefined;
    assert.equal(check.isSound(out, 0, length), true);
    assert.equal(check.hasOddPointers, false);
    const cursor = new RecordCursor();
    const texts: string[] = [];
    cursor.start(out, 0, length);
    while (cursor.next()) texts.push(recordText(cursor));
    return texts;
  }

  it('keeps all of them', () =>
    assert.deepEqual(kept(0, 1, 2), [
      'www.a 9 IN CNAME b.a',
      'b.a 8 IN MX 5 b.a',
      'b.a 7 IN HTTPS 1 www.a alpn',
    ]));
  it('can omit a record that others point into', () =>
    assert.deepEqual(kept(1, 2), ['b.a 8 IN MX 5 b.a', 'b.a 7 IN HTTPS 1 www.a alpn']));
  it('can omit all of them', () => assert.deepEqual(kept(), []));
  it('is refused without room', () => {
    const keep = Uint8Array.of(1, 1, 1);
    for (let size = 0; size < 60; size += 1)
      assert.equal(copyKept(message, 0, message.length, keep, new Uint8Array(size)), -1);
  });
});
