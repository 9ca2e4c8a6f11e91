import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { AnswerWriter } from './answer-writer.ts';
import { Class, Ede, Flag, Rcode, Section, Type } from './codes.ts';
import { extendedError, messageFlags, rcodeOf } from './message.ts';
import { questionName } from './name-compressor.ts';
import { QueryView } from './query-view.ts';
import { RecordCursor } from './record-cursor.ts';
import { bytesOf, header, opt, word, wireName } from '#testing/wire/bytes';
import { recordText } from './text/record-text.ts';

const AT = 3;
/** One writer for all tests, as in the program: nothing may remain from the previous answer. */
const writer = new AnswerWriter();
const LOOPBACK = Uint8Array.of(9, 127, 0, 0, 1);

function queryFor(name: Uint8Array | string, options: { flags?: number; edns?: boolean } = {}): QueryView {
  const additional = options.edns === true ? opt(1232) : [];
  const head = header(0xbeef, options.flags ?? Flag.rd, 1, 0, 0, options.edns === true ? 1 : 0);
  const packet = bytesOf(9, 9, head, name, word(1), word(1), additional);
  const view = new QueryView(1);
  assert.equal(view.read(packet, 2, packet.length - 2), 0);
  return view;
}

/** Writes with `fill` and checks that nothing outside the limit was touched. */
function write(limitBytes: number, query: QueryView, fill: () => void, flags = 0, rcode = 0): Uint8Array {
  const out = new Uint8Array(AT + limitBytes + 50).fill(0xdd);
  writer.begin(out, AT, limitBytes, query, flags, rcode);
  fill();
  const length = writer.finish();
  assert.ok(length <= limitBytes);
  const touched = [...out.subarray(0, AT), ...out.subarray(AT + limitBytes)];
  assert.ok(touched.every((byte) => byte === 0xdd));
  return out.slice(AT, AT + length);
}

function textsOf(message: Uint8Array): string[] {
  const cursor = new RecordCursor();
  const texts: string[] = [];
  cursor.start(message, 0, message.length);
  while (cursor.next()) {
    texts.push(`${cursor.section} ${cursor.type === Type.OPT ? 'OPT' : recordText(cursor)}`);
  }
  assert.equal(cursor.malformed, false);
  return texts;
}

describe('the header and the question', () => {
  it('repeat the bytes of the client, including their case', () => {
    const query = queryFor(bytesOf(2, 0x41, 0x62, 0), { flags: Flag.rd | Flag.cd | Flag.ad });
    const answer = write(512, query, () => {}, Flag.ra | Flag.aa, Rcode.nxDomain);
    const flags = Flag.qr | Flag.rd | Flag.cd | Flag.ra | Flag.aa | Rcode.nxDomain;
    assert.deepEqual(answer, bytesOf(header(0xbeef, flags, 1), 2, 0x41, 0x62, 0, word(1), word(1)));
  });
  it('RD and CD are copied from the query', () => {
    const answer = write(512, queryFor('a', { flags: 0 }), () => {});
    assert.equal(messageFlags(answer, 0), Flag.qr);
  });
  it('a limit below the question leaves a bare header', () => {
    const answer = write(20, queryFor('a.long.name'), () => {
      assert.equal(writer.addA(questionName, 1, LOOPBACK, 1), false);
    });
    assert.deepEqual(answer, bytesOf(header(0xbeef, Flag.qr | Flag.tc | Flag.rd)));
  });
});

describe('records', () => {
  it('of every kind are written to their sections', () => {
    const query = queryFor('www.example.com', { edns: true });
    const target = wireName('cdn.example.com');
    const answer = write(512, query, () => {
      assert.ok(writer.addName(Section.answer, questionName, Type.CNAME, Class.IN, 300, target));
      assert.ok(writer.addA(target, 60, LOOPBACK, 1));
      assert.ok(writer.addAaaa(target, 61, bytesOf(Array<number>(15).fill(0), 1)));
      assert.ok(writer.addTxt(target, Class.CH, 0, ['hi', 'ü']));
      assert.ok(writer.add(Section.answer, target, 65_280, Class.IN, 1, bytesOf(7, 8, 9), 1, 2));
      const zone = wireName('example.com');
      assert.ok(
        writer.addSoa(zone, 900, wireName('ns.example.com'), wireName('root.example.com'), 1, 2, 3, 4, 5),
      );
      assert.ok(writer.addOpt(1232, true, 0, -1, undefined));
    });
    assert.deepEqual(textsOf(answer), [
      '0 www.example.com 300 IN CNAME cdn.example.com',
      '0 cdn.example.com 60 IN A 127.0.0.1',
      '0 cdn.example.com 61 IN AAAA ::1',
      '0 cdn.example.com 0 CH TXT "hi" "\\195\\188"',
      '0 cdn.example.com 1 IN TYPE65280 \\# 2 0809',
      '1 example.com 900 IN SOA ns.example.com root.example.com 1 2 3 4 5',
      '2 OPT',
    ]);
  });
  it('names are compressed against the question, owners and targets, ignoring case', () => {
    const answer = write(512, queryFor(bytesOf(1, 0x41, 3, 0x43, 0x4f, 0x4d, 0)), () => {
      writer.addName(Section.answer, questionName, Type.CNAME, Class.IN, 1, wireName('x.com'));
      writer.addName(Section.answer, wireName('x.com'), Type.CNAME, Class.IN, 1, wireName('y.x.com'));
      writer.addName(Section.answer, wireName('y.x.com'), Type.CNAME, Class.IN, 1, wireName('a.com'));
    });
    const pointer = (offset: number): number[] => word(0xc000 | offset);
    const fixed = [...word(Type.CNAME), ...word(1), 0, 0, 0, 1];
    assert.deepEqual(
      answer.subarray(23),
      bytesOf(
        [...pointer(12), ...fixed, ...word(4), 1, 0x78, ...pointer(14)],
        [...pointer(35), ...fixed, ...word(4), 1, 0x79, ...pointer(35)],
        [...pointer(51), ...fixed, ...word(2), ...pointer(12)],
      ),
    );
  });
  it('a name is not compared with itself, even if bytes of an earlier message follow it', () => {
    // Zeros end a name; repeated 0xc0 is a pointer to itself.
    for (const left of [0, 1, 0x7a, 0xc0]) {
      const out = new Uint8Array(512).fill(left);
      writer.begin(out, 0, 512, queryFor('a'), 0, 0);
      writer.addName(Section.answer, questionName, Type.CNAME, Class.IN, 1, wireName('z.z.z'));
      writer.addName(Section.answer, wireName('z.z'), Type.CNAME, Class.IN, 1, wireName('z'));
      const answer = out.subarray(0, writer.finish());
      assert.deepEqual(textsOf(answer), ['0 a 1 IN CNAME z.z.z', '0 z.z 1 IN CNAME z']);
    }
  });
  it('a suffix ends at a label, not in the middle of one', () => {
    const answer = write(512, queryFor('ab.c'), () => {
      writer.addName(Section.answer, questionName, Type.CNAME, Class.IN, 1, wireName('b.c'));
    });
    assert.deepEqual(textsOf(answer), ['0 ab.c 1 IN CNAME b.c']);
  });
  it('a SOA can be the answer', () => {
    const root = wireName('.');
    const answer = write(512, queryFor('a'), () => {
      writer.addSoa(root, 1, root, root, 0, 0, 0, 0, 0, Section.answer);
    });
    assert.deepEqual(textsOf(answer), ['0 . 1 IN SOA . . 0 0 0 0 0']);
  });
  it('long texts are split into strings, and an empty text becomes one empty string', () => {
    const answer = write(900, queryFor('a'), () => {
      writer.addTxt(questionName, Class.IN, 1, ['x'.repeat(256)]);
      writer.addTxt(questionName, Class.IN, 2, []);
      writer.addTxt(questionName, Class.IN, 3, ['', 'a']);
    });
    assert.deepEqual(textsOf(answer), [
      `0 a 1 IN TXT "${'x'.repeat(255)}" "x"`,
      '0 a 2 IN TXT ""',
      '0 a 3 IN TXT "" "a"',
    ]);
  });
  it('more names than the suffix table holds are written uncompressed', () => {
    const names = Array.from({ length: 200 }, (_, index) => `n${index}.a.b`);
    const answer = write(65_000, queryFor('a.b'), () => {
      for (const name of [...names, ...names]) writer.addA(wireName(name), 1, LOOPBACK, 1);
    });
    assert.deepEqual(
      textsOf(answer),
      [...names, ...names].map((name) => `0 ${name} 1 IN A 127.0.0.1`),
    );
  });
  it('names beyond 16 KiB are not the target of a pointer', () => {
    const answer = write(65_000, queryFor('a'), () => {
      writer.add(Section.answer, questionName, 65_280, Class.IN, 1, new Uint8Array(17_000), 0, 17_000);
      for (let times = 0; times < 3; times += 1) writer.addA(wireName('far.off'), 1, LOOPBACK, 1);
    });
    assert.deepEqual(textsOf(answer).slice(1), Array(3).fill('0 far.off 1 IN A 127.0.0.1'));
  });
});

describe('what does not fit', () => {
  const HEAD = 12 + 7;
  it('is left out as a whole record, and TC is set', () => {
    const answer = write(HEAD + 16 + 15, queryFor('a'), () => {
      assert.equal(writer.addA(questionName, 1, LOOPBACK, 1), true);
      assert.equal(writer.addA(questionName, 2, LOOPBACK, 1), false);
      assert.equal(writer.addTxt(questionName, Class.IN, 3, []), false, 'nothing follows a gap');
    });
    assert.deepEqual(textsOf(answer), ['0 a 1 IN A 127.0.0.1']);
    assert.equal(messageFlags(answer, 0) & Flag.tc, Flag.tc);
  });
  it('every limit results in a complete message', () => {
    const query = queryFor('a.b', { edns: true });
    for (let limit = 12; limit < 200; limit += 1) {
      const answer = write(limit, query, () => {
        writer.addName(Section.answer, questionName, Type.CNAME, Class.IN, 1, wireName('x.long.b'));
        writer.addTxt(wireName('x.long.b'), Class.IN, 1, ['text', 'more']);
        writer.addSoa(wireName('b'), 1, wireName('m.b'), wireName('r.b'), 1, 2, 3, 4, 5);
        assert.equal(writer.addOpt(1232, false, 0, Ede.blocked, bytesOf(0x61)), limit >= 23);
      });
      const texts = textsOf(answer);
      assert.equal(texts.at(-1) === '2 OPT', limit >= 23);
      assert.equal(texts.length < 4, (messageFlags(answer, 0) & Flag.tc) !== 0);
    }
  });
  it('an additional record that does not fit sets no TC', () => {
    const answer = write(HEAD + 4, queryFor('a'), () => {
      assert.equal(writer.add(Section.additional, questionName, 1, Class.IN, 1, LOOPBACK, 1, 4), false);
    });
    assert.equal(messageFlags(answer, 0) & Flag.tc, 0);
  });
  it('a removed name is not the target of a pointer', () => {
    const answer = write(HEAD + 40, queryFor('q'), () => {
      const data = new Uint8Array(100);
      assert.equal(
        writer.add(Section.additional, wireName('big.name'), 16, Class.IN, 1, data, 0, 100),
        false,
      );
      assert.equal(writer.addA(wireName('x.big.name'), 1, LOOPBACK, 1), true);
    });
    assert.deepEqual(textsOf(answer), ['0 x.big.name 1 IN A 127.0.0.1']);
  });
  it('an invalid name or invalid data is refused', () => {
    const answer = write(512, queryFor('a'), () => {
      assert.equal(writer.add(Section.additional, bytesOf(3, 0x61), 1, 1, 1, LOOPBACK, 1, 4), false);
      assert.equal(writer.add(Section.additional, questionName, 1, 1, 1, LOOPBACK, 2, 4), false);
    });
    assert.equal(answer.length, HEAD);
  });
});

describe('a body from the cache', () => {
  const body = bytesOf(9, word(0xc00c), word(1), word(1), 0, 0, 0, 5, word(4), 1, 2, 3, 4);
  it('follows the question', () => {
    const answer = write(512, queryFor('a', { edns: true }), () => {
      assert.equal(writer.addBody(body, 1, body.length - 1, 1, 0, 0), true);
      assert.equal(writer.position, AT + 19 + 16);
      writer.addOpt(1232, false, 0, -1, undefined);
    });
    assert.deepEqual(textsOf(answer), ['0 a 5 IN A 1.2.3.4', '2 OPT']);
  });
  it('is left out when it does not fit, and OPT still does', () => {
    const answer = write(19 + 16 + 10, queryFor('a', { edns: true }), () => {
      assert.equal(writer.addBody(body, 1, body.length - 1, 1, 0, 0), false);
      assert.equal(writer.addOpt(1232, false, 0, Ede.staleAnswer, undefined), true);
    });
    assert.deepEqual(textsOf(answer), ['2 OPT']);
    assert.equal(messageFlags(answer, 0) & Flag.tc, Flag.tc);
    assert.equal(extendedError(answer, 0, answer.length), Ede.staleAnswer);
  });
  it('of any size is copied completely', () => {
    const data = Uint8Array.from({ length: 400 }, (_, index) => index);
    const answer = write(512, queryFor('a'), () => assert.ok(writer.addBody(data, 0, 400, 0, 0, 0)));
    assert.deepEqual(answer.subarray(19), data);
  });
  it('sets TC when the caller truncates it', () => {
    const answer = write(512, queryFor('a'), () => writer.truncate());
    assert.equal(messageFlags(answer, 0) & Flag.tc, Flag.tc);
  });
});

describe('OPT', () => {
  const text = bytesOf(0x61, 0x62);
  const cases: readonly [string, number, () => boolean, number[]][] = [
    ['plain', 99, () => writer.addOpt(1232, false, 0, -1, text), opt(1232)],
    ['DO', 99, () => writer.addOpt(4096, true, 0, -1, undefined), opt(4096, [0, 0, 0x80, 0])],
    [
      'BADVERS',
      99,
      () => writer.addOpt(512, false, Rcode.badVers >> 4, -1, undefined),
      opt(512, [1, 0, 0, 0]),
    ],
    [
      'an extended error',
      99,
      () => writer.addOpt(512, false, 0, Ede.blocked, text),
      opt(512, [0, 0, 0, 0], [0, 15, 0, 4, 0, 15, 0x61, 0x62]),
    ],
    [
      'the text left out',
      19 + 11 + 7,
      () => writer.addOpt(512, false, 0, Ede.filtered, text),
      opt(512, [0, 0, 0, 0], [0, 15, 0, 2, 0, 17]),
    ],
    ['the option left out', 19 + 11 + 5, () => writer.addOpt(512, false, 0, Ede.filtered, text), opt(512)],
  ];
  for (const [name, limit, add, expected] of cases) {
    it(name, () => {
      const answer = write(limit, queryFor('a', { edns: true }), () => assert.ok(add()), 0, Rcode.badVers);
      assert.deepEqual([...answer.subarray(19)], expected);
      assert.equal(rcodeOf(answer, 0), 0);
    });
  }
  it('is left out when there is no room for it', () => {
    write(19 + 10, queryFor('a'), () => assert.equal(writer.addOpt(512, false, 0, -1, undefined), false));
  });
});
