import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reasonOf, refusalText, type Refusal } from './failure.ts';
import type { Subject } from './subject.ts';

function refusal(status: number, message: string, hint: unknown = null): Refusal {
  return {
    status,
    message,
    hint,
  };
}

const group: Subject = { thing: 'group', name: 'x' };

describe('the reason of an error reply', () => {
  const table: readonly (readonly [hint: unknown, text: string])[] = [
    [null, 'No'],
    [undefined, 'No'],
    ['', 'No'],
    ['because', 'No (because)'],
    [5, 'No (5)'],
    [{ key: 'dns', allowed: [1, 2], deep: { a: null } }, 'No (key: dns, allowed: [1,2], deep: {"a":null})'],
    ['\u001b[2J', 'No (\\u001b[2J)'],
  ];
  for (const [hint, text] of table) {
    it(JSON.stringify(hint) ?? 'nothing', () => assert.equal(reasonOf(refusal(400, 'No', hint)), text));
  }
});

describe('the sentence about an item', () => {
  const taken = { argument: 'y "z"', enabled: true, sql_msg: 'UNIQUE constraint failed: group.name' };
  const table: readonly (readonly [string, Subject, Refusal, string])[] = [
    ['absent', group, refusal(404, 'Not found', '/api/groups/x'), 'There is no group "x".'],
    ['absent by id', { thing: 'session', name: 4 }, refusal(404, 'Not found'), 'There is no session 4.'],
    ['taken', group, refusal(400, 'Could not add', taken), 'There is a group "y "z"" already.'],
    [
      'taken, with a vowel',
      { thing: 'allowed domain', name: 'y' },
      refusal(400, 'Could not add', { ...taken, argument: 'y' }),
      'There is an allowed domain "y" already.',
    ],
    [
      'a hint that repeats the name',
      group,
      refusal(403, 'Forbidden', 'x'),
      'Group "x" was not changed: Forbidden',
    ],
    [
      'a hint with more information',
      group,
      refusal(400, 'Invalid', 'why'),
      'Group "x" was not changed: Invalid (why)',
    ],
    [
      'an object that is not a duplicate',
      group,
      refusal(400, 'Invalid', { argument: 'x' }),
      'Group "x" was not changed: Invalid (argument: x)',
    ],
  ];
  for (const [name, subject, refused, text] of table) {
    it(name, () => assert.equal(refusalText(subject, 'changed', refused), text));
  }
});
