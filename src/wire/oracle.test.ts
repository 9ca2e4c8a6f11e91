import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { decode, encode, type Answer, type Packet } from 'dns-packet';
import * as fc from '../../test/running/properties.ts';

import { AnswerWriter } from './answer-writer.ts';
import { Class, Flag, Section, Type } from './codes.ts';
import { ttlOffsets } from './message.ts';
import { nameFromText, nameToText } from './name-text.ts';
import { QueryView } from './query-view.ts';
import { writeQuery } from './query-writer.ts';
import { RecordCursor } from './record-cursor.ts';
import { wireName } from '#testing/wire/bytes';
import { dataText } from './text/record-text.ts';
import { typeText } from './text/code-text.ts';
import { copyWithoutOpt } from './without-opt.ts';

// dns-packet as an independent implementation. It writes no compressed names, does not support HTTPS, and
// loses dots inside labels: names here consist of letters, digits and hyphens.

const letters = [
  ...Array.from({ length: 26 }, (_, index) => String.fromCharCode(97 + index)),
  'A',
  'Z',
  '0',
  '-',
];
const label = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 20 });
const name = fc.array(label, { minLength: 1, maxLength: 6 }).map((labels) => labels.join('.'));
const ttl = fc.nat(2 ** 31 - 1);
const address = fc.ipV4();
const u16 = fc.nat(65_535);
/** dns-packet writes 4096 for 0. */
const size = fc.integer({ min: 1, max: 65_535 });

const someAnswer: fc.Arbitrary<Answer> = fc.oneof(
  fc.record({ type: fc.constant('A' as const), name, ttl, data: address }),
  fc.record({
    type: fc.constantFrom('CNAME' as const, 'NS' as const, 'PTR' as const),
    name,
    ttl,
    data: name,
  }),
  fc.record({
    type: fc.constant('MX' as const),
    name,
    ttl,
    data: fc.record({ preference: u16, exchange: name }),
  }),
  fc.record({
    type: fc.constant('SRV' as const),
    name,
    ttl,
    data: fc.record({ priority: u16, weight: u16, port: u16, target: name }),
  }),
  fc.record({
    type: fc.constant('SOA' as const),
    name,
    ttl,
    data: fc.record({
      mname: name,
      rname: name,
      serial: ttl,
      refresh: ttl,
      retry: ttl,
      expire: ttl,
      minimum: ttl,
    }),
  }),
);
const answers = fc.array(someAnswer, { maxLength: 8 });

function optOf(udpPayloadSize: number, dnssecOk: boolean): Answer {
  const flags = dnssecOk ? 0x8000 : 0;
  const version = { extendedRcode: 0, ednsVersion: 0 };
  return { type: 'OPT', name: '.', udpPayloadSize, ...version, flags, flag_do: dnssecOk, options: [] };
}

/** The result of dns-packet, in the form of record-text.ts. */
function oracleText(answer: Answer): string {
  if (answer.type === 'MX') return `${answer.data.preference} ${answer.data.exchange}`;
  if (answer.type === 'SRV') {
    const { priority, weight, port, target } = answer.data;
    return `${priority} ${weight} ${port} ${target}`;
  }
  if (answer.type === 'SOA') {
    const { mname, rname, serial, refresh, retry, expire, minimum } = answer.data;
    return `${mname} ${rname} ${serial} ${refresh} ${retry} ${expire} ${minimum}`;
  }
  return 'data' in answer && typeof answer.data === 'string' ? answer.data : '';
}

const view = new QueryView(7);
const writer = new AnswerWriter();
const cursor = new RecordCursor();

describe('messages written by dns-packet', () => {
  it('queries are parsed with their meaning', () => {
    fc.assert(
      fc.property(name, u16, fc.boolean(), fc.boolean(), size, (asked, id, edns, dnssecOk, sizeBytes) => {
        const packet: Packet = {
          type: 'query',
          id,
          flags: Flag.rd,
          questions: [{ type: 'AAAA', name: asked }],
          additionals: edns ? [optOf(sizeBytes, dnssecOk)] : [],
        };
        const bytes = encode(packet);
        assert.equal(view.read(bytes, 0, bytes.length), 0);
        assert.deepEqual([view.id, view.type, view.class], [id, Type.AAAA, Class.IN]);
        assert.equal(nameToText(view.name), asked.toLowerCase());
        assert.equal(view.labelCount, asked.split('.').length);
        assert.equal(view.hasEdns, edns);
        assert.equal(view.dnssecOk, edns && dnssecOk);
        assert.equal(view.udpBytes, edns ? Math.max(512, sizeBytes) : 512);
      }),
    );
  });
  it('records are walked and shown with their meaning', () => {
    fc.assert(
      fc.property(name, answers, answers, (asked, first, second) => {
        const bytes = encode({
          type: 'response',
          questions: [{ type: 'A', name: asked }],
          answers: first,
          authorities: second,
        });
        const found: string[] = [];
        cursor.start(bytes, 0, bytes.length);
        while (cursor.next()) {
          found.push(`${cursor.section} ${cursor.ttlSeconds} ${typeText(cursor.type)} ${dataText(cursor)}`);
        }
        const text = (section: number) => (answer: Answer) =>
          `${section} ${'ttl' in answer ? answer.ttl : 0} ${answer.type} ${oracleText(answer)}`;
        assert.deepEqual(found, [...first.map(text(0)), ...second.map(text(1))]);
        assert.equal(ttlOffsets(bytes, 0, bytes.length, new Uint16Array(16)), first.length + second.length);
      }),
    );
  });
  it('an OPT in the middle is removed', () => {
    fc.assert(
      fc.property(name, answers, answers, (asked, first, last) => {
        const questions = [{ type: 'A' as const, name: asked }];
        const additionals = [optOf(1400, false), ...last];
        const bytes = encode({ type: 'response', questions, answers: first, additionals });
        const out = new Uint8Array(bytes.length);
        const length = copyWithoutOpt(bytes, 0, bytes.length, out, 0);
        const expected = encode({ type: 'response', questions, answers: first, additionals: last });
        assert.deepEqual(Buffer.from(out.subarray(0, length)), expected);
      }),
    );
  });
});

describe('messages written by this room', () => {
  it('queries are read by dns-packet', () => {
    fc.assert(
      fc.property(name, u16, fc.boolean(), (asked, id, dnssecOk) => {
        const out = new Uint8Array(600);
        const length = writeQuery(out, 0, id, 0, wireName(asked), Type.AAAA, Class.IN, 1232, dnssecOk);
        const packet = decode(Buffer.from(out.subarray(0, length)));
        assert.equal(packet.id, id);
        assert.equal(packet.flag_rd, true);
        assert.deepEqual(packet.questions, [{ name: asked.toLowerCase(), type: 'AAAA', class: 'IN' }]);
        const [found] = packet.additionals ?? [];
        assert.ok(found?.type === 'OPT');
        assert.deepEqual([found.udpPayloadSize, found.flag_do], [1232, dnssecOk]);
      }),
    );
  });
  it('compressed answers are read by dns-packet', () => {
    const chain = fc.array(name, { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(chain, fc.integer({ min: 512, max: 1232 }), (names, limit) => {
        const [asked = ''] = names;
        const query = encode({ type: 'query', questions: [{ type: 'A', name: asked }], additionals: [] });
        assert.equal(view.read(query, 0, query.length), 0);
        const out = new Uint8Array(1300);
        writer.begin(out, 0, limit, view, Flag.ra, 0);
        // Each name with a sibling under the same parent, so that there is something to compress.
        const targets = names.flatMap((text) => [text.toLowerCase(), `x.${text.toLowerCase()}`]);
        const fitting = targets.filter((text, index) => {
          const owner = nameFromText(targets[index - 1] ?? asked) ?? out;
          return writer.addName(Section.answer, owner, Type.CNAME, Class.IN, index, wireName(text));
        });
        const length = writer.finish();
        const packet = decode(Buffer.from(out.subarray(0, length)));
        assert.equal(packet.flag_tc, fitting.length < targets.length);
        assert.equal(packet.questions?.[0]?.name, asked);
        const found = packet.answers?.map((answer) => oracleText(answer).toLowerCase());
        assert.deepEqual(found, fitting);
      }),
    );
  });
});
