// Where answers lead, at the limits of what is described: many records, and services with their hints.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { emptyPolicy, precedence, type PrecedenceRow } from '#policy';
import { Class, nameFromText, Type } from '#wire';
import { makeReply } from '#testing/engine/messages';
import { decidingTarget, maxTargets, targetsOf } from './targets.ts';
import { asItIs, maxRecords, describeAnswer } from './describe-answer.ts';
import type { Target } from './explained.ts';

const judge = { policy: emptyPolicy, groups: 0, type: Type.A };

const replyWith = (type: number, records: readonly string[]): Uint8Array =>
  makeReply(
    {
      name: nameFromText('www.example') ?? new Uint8Array(1),
      type,
      class: Class.IN,
      dnssecOk: false,
      checkingDisabled: false,
    },
    ['NOERROR'],
    [...records],
  );

describe('targets', () => {
  test('are listed up to a limit, as are records', () => {
    for (const count of [maxTargets - 1, maxTargets, maxTargets + 1, 3 * maxTargets]) {
      const records = Array.from({ length: count }, (_, at) => `www.example 60 A 198.18.0.${at}`);
      const reply = replyWith(Type.A, records);
      assert.equal(targetsOf(reply, reply.length, judge).length, Math.min(count, maxTargets));
      const described = describeAnswer(reply, reply.length, asItIs);
      assert.deepEqual(
        [described.records.length, described.recordCount],
        [Math.min(count, maxRecords), count],
      );
    }
  });

  test('a truncated message gives the targets before its end', () => {
    const reply = replyWith(Type.A, ['www.example 60 A 198.18.0.1', 'www.example 60 A 198.18.0.2']);
    // Within the last address, which an OPT record of 11 bytes follows.
    const cut = reply.length - 12;
    assert.equal(targetsOf(reply, cut, judge).length, 1);
    assert.equal(describeAnswer(reply, cut, asItIs).recordCount, 1);
    assert.equal(targetsOf(reply, 5, judge).length, 0);
  });

  const target = (verdict: Target['verdict'], row: PrecedenceRow, about: string): Target => ({
    verdict,
    about,
    kind: 'name',
    via: 'CNAME',
    decides: false,
    row,
    because: undefined,
    rules: [],
  });
  const rows: readonly (readonly [
    string,
    PrecedenceRow,
    readonly (readonly [Target['verdict'], PrecedenceRow])[],
    number,
  ])[] = [
    [
      'the first of a row',
      'pass',
      [
        ['pass', 'pass'],
        ['block', 'ownBlock'],
        ['block', 'ownBlock'],
      ],
      1,
    ],
    [
      'the earliest row',
      'pass',
      [
        ['block', 'listBlock'],
        ['allow', 'listAllow'],
        ['block', 'ownBlock'],
      ],
      2,
    ],
    [
      'one that allows',
      'pass',
      [
        ['block', 'listBlock'],
        ['allow', 'listAllow'],
      ],
      1,
    ],
    [
      'none in or behind the row of the name',
      'ownBlock',
      [
        ['block', 'ownBlock'],
        ['block', 'listBlock'],
      ],
      -1,
    ],
    [
      'one before the row of the name',
      'listAllow',
      [
        ['allow', 'listAllow'],
        ['block', 'ownBlock'],
      ],
      1,
    ],
    [
      'none of those that no rule blocks or allows',
      'pass',
      [
        ['pass', 'pass'],
        ['local', 'ownBlock'],
      ],
      -1,
    ],
  ];
  for (const [title, nameRow, verdicts, at] of rows)
    test(`decide: ${title}`, () => {
      const targets = verdicts.map(([verdict, row], index) => target(verdict, row, String(index)));
      assert.equal(decidingTarget(targets, precedence.indexOf(nameRow))?.about ?? '-1', String(at));
    });
});
