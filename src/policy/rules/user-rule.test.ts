// Rules as users write them by the API: what they become, and what is said about those that are none.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { loadPatternCheck } from './pattern-check.ts';
import { shown } from './test-scan.ts';
import { parseUserRule, type UserRuleText } from './user-rule.ts';

const check = await loadPatternCheck();
const parse = (kind: UserRuleText['kind'], domain: string): ReturnType<typeof parseUserRule> =>
  parseUserRule({ domain, kind, action: 'block' }, check);

const NULL4 = '0.0.0.0';
const NULL6 = '0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0';
const NAMED_BUT_A = '28+255+33+6+12+16+35+15+43+46+48+2+64+65';

const FINE: readonly (readonly [kind: UserRuleText['kind'], text: string, rule: string])[] = [
  ['exact', 'A.Example.', 'block exact a.example'],
  ['exact', 'single', 'block exact single'],
  ['exact', '_x.a-b.example', 'block exact _x.a-b.example'],
  ['exact', '10.1', 'block exact 10.1'],
  ['exact', 'bücher.example', 'block exact xn--bcher-kva.example'],
  ['wildcard', '*.a.example', 'block below a.example'],
  ['wildcard', '.a.example', 'block below a.example'],
  ['wildcard', 'a.example', 'block below a.example'],
  ['regex', '^ad[0-9]+\\.', 'block pattern ^ad[0-9]+\\.'],
  ['regex', '(\\.|^)a\\.example$', 'block pattern (\\.|^)a\\.example$'],
  ['regex', '[[:alpha:]]+x y', 'block pattern [[:alpha:]]+x y'],
  ['regex', 'a(?#why)b', 'block pattern ab'],
  ['regex', '\\<ads\\>', 'block pattern \\bads\\b'],
  ['regex', '[(?#)]\\(?#', 'block pattern [(?#)]\\(?#'],
  ['regex', 'x;querytype=A,aaaa', 'block pattern x types=+1+28'],
  ['regex', 'x;querytype=!A', 'block pattern x types=-1'],
  ['regex', 'x;querytype=A,OTHER', `block pattern x types=-${NAMED_BUT_A.replaceAll('+', '-')}`],
  ['regex', 'x;querytype=!A,OTHER', `block pattern x types=+${NAMED_BUT_A}`],
  ['regex', 'x;invert', 'block pattern x inverted'],
  ['regex', 'x;reply=NODATA', 'block pattern x form=nodata'],
  ['regex', 'x;reply=nxdomain', 'block pattern x form=nx'],
  ['regex', 'x;reply=REFUSED', 'block pattern x form=refused'],
  ['regex', 'x;reply=NONE', 'block pattern x form=drop'],
  ['regex', 'x;reply=IP', 'block pattern x form=ip'],
  ['regex', 'x;reply=192.0.2.1', `block pattern x form=192.0.2.1+${NULL6}`],
  ['regex', 'x;reply=::1', `block pattern x form=${NULL4}+0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.1`],
  ['regex', 'x;reply=::1;reply=192.0.2.1', 'block pattern x form=192.0.2.1+0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.1'],
  ['regex', 'x;reply=CNAME,b.example', 'block pattern x form=cname:b.example'],
  ['regex', 'x;querytype=HTTPS;invert;reply=NODATA', 'block pattern x types=+65 form=nodata inverted'],
];

describe('a rule of a user', () => {
  for (const [kind, text, rule] of FINE) {
    it(`${kind} ${text}`, () => {
      const parsed = parse(kind, text);
      assert.ok(parsed.isRule, JSON.stringify(parsed));
      assert.equal(shown(parsed.rule), rule);
      assert.equal(parsed.matchesEverything, false);
    });
  }

  it('may allow', () => {
    const parsed = parseUserRule({ domain: 'a.example', kind: 'exact', action: 'allow' }, check);
    assert.ok(parsed.isRule && shown(parsed.rule) === 'allow exact a.example');
  });
});

const blanks = 'Spaces, newlines and tabs are not allowed in domains and URLs';
const notRegex = 'Regex validation failed';

const WRONG: readonly (readonly [
  kind: UserRuleText['kind'],
  string,
  message: string,
  hint: string,
  at: number,
])[] = [
  ['exact', '', 'Invalid domain', '', 0],
  ['exact', '.', 'Invalid domain', '.', 0],
  ['exact', 'a b', blanks, 'a b', 1],
  ['exact', 'a..example', 'Invalid domain', 'a..example', 2],
  ['exact', 'a.ex*mple', 'Invalid domain', 'a.ex*mple', 4],
  ['exact', `${'a'.repeat(64)}.x`, 'Invalid domain', `${'a'.repeat(64)}.x`, 64],
  ['exact', 'a.example-', 'Invalid domain', 'a.example-', 10],
  ['exact', 'a.\u{fffd}', 'Invalid request: Invalid domain name', 'cannot be written as a DNS name', 2],
  ['wildcard', '*.a.*.example', 'Invalid domain', '*.a.*.example', 4],
  ['regex', 'ab[c', notRegex, 'missing closing ]: [c', 2],
  ['regex', 'a(b(c)', notRegex, 'missing closing )', 1],
  ['regex', 'ab)c(', notRegex, 'unexpected )', 2],
  ['regex', 'a(?#why)b**', notRegex, 'invalid nested repetition operator: **', 9],
  ['regex', 'a(?=b)', notRegex, 'invalid or unsupported Perl syntax: (?=', 1],
  ['regex', '(a)\\1', notRegex, 'invalid escape sequence: \\1', 3],
  ['regex', 'ab\\', notRegex, 'trailing backslash at end of expression', 2],
  ['regex', 'ads{~1}', notRegex, 'Approximate matching is not supported: {~', 3],
  ['regex', 'x;querytype=A,FOO', notRegex, 'Unknown querytype "FOO"', 2],
  ['regex', 'x;querytype=', notRegex, 'Unknown querytype ""', 2],
  ['regex', 'x;querytype=A;querytype=TXT', notRegex, 'Multiple querytype options are not allowed: "TXT"', 14],
  ['regex', 'x;reply=WHAT', notRegex, 'Unknown reply type "WHAT"', 2],
  ['regex', 'x;reply=CNAME', notRegex, 'Missing domain for CNAME "CNAME"', 2],
  [
    'regex',
    'x;reply=1.2.3.4;reply=5.6.7.8',
    notRegex,
    'Multiple reply options are not allowed: "5.6.7.8"',
    16,
  ],
  ['regex', 'x;reply=IP;reply=NODATA', notRegex, 'Multiple reply options are not allowed: "NODATA"', 11],
  ['regex', 'x;foo', notRegex, 'Invalid option "foo"', 2],
  ['regex', 'a'.repeat(1025), notRegex, 'Longer than 1024 characters', 1024],
];

describe('a text that is no rule', () => {
  for (const [kind, text, message, hint, position] of WRONG) {
    it(`${kind} ${JSON.stringify(text.slice(0, 60))}`, () => {
      assert.deepEqual(parse(kind, text), { isRule: false, message, hint, position });
    });
  }
});

describe('a regular expression that matches everything', () => {
  for (const [text, isEverything] of [
    ['', true],
    ['.*', true],
    ['.', true],
    ['^', true],
    ['\\.', true],
    ['[a-z]', true],
    ['(ads|.*)', true],
    ['^.+$;reply=NODATA', true],
    ['.*;querytype=HTTPS', false],
    ['.*;invert', false],
    ['ads', false],
    ['\\.com$', false],
    ['[0-9]', false],
    ['^[a-z]{2}\\.', false],
  ] as const) {
    it(`${text}: ${isEverything}`, () => {
      const parsed = parse('regex', text);
      assert.ok(parsed.isRule);
      assert.equal(parsed.matchesEverything, isEverything);
    });
  }
});

describe('any text at all', () => {
  it('is a rule or a problem inside of the text', () => {
    const signs = fc.array(
      fc.constantFrom(...Array.from('ab.*+?()[]{}|^$\\;=,~#<>:!-'), '(?#', '[:', 'reply=', 'ü'),
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      signs.map((list) => list.join('')),
    );
    fc.assert(
      fc.property(
        text,
        fc.constantFrom('exact' as const, 'wildcard' as const, 'regex' as const),
        (domain, kind) => {
          const parsed = parse(kind, domain);
          if (!parsed.isRule) assert.ok(parsed.position >= 0 && parsed.position <= domain.length);
        },
      ),
      { numRuns: 3000 },
    );
  });
});
