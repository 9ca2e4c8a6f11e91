// Rules as users write them in the API: their parsed form, and the messages for texts that are not rules.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from '../../../test/running/properties.ts';

import { loadPatternCheck } from './pattern-check.ts';
import { shown } from '#testing/policy/scan';
import { parseUserRule, type UserRuleText } from './user-rule.ts';

const check = await loadPatternCheck({ seeksNothing: true });
function parse(kind: UserRuleText['kind'], domain: string): ReturnType<typeof parseUserRule> {
  return parseUserRule({ domain, kind, action: 'block' }, check);
}

const NULL4 = '0.0.0.0';
const NULL6 = '0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0';
const NAMED_BUT_A = '28+255+33+6+12+16+35+15+43+46+48+2+64+65';

const FINE: readonly (readonly [kind: UserRuleText['kind'], text: string, rule: string])[] = [
  ['exact', 'A.Example.', 'block exact a.example'],
  ['exact', 'single', 'block exact single'],
  ['exact', '_x.a-b.example', 'block exact _x.a-b.example'],
  ['exact', '10.1', 'block exact 10.1'],
  ['exact', 'bücher.example', 'block exact xn--bcher-kva.example'],
  ['exact', '-a.example', 'block exact -a.example'],
  ['exact', '*.A.example.', 'block below a.example'],
  ['exact', '*.bücher.example', 'block below xn--bcher-kva.example'],
  ['exact', '*.zip', 'block below zip'],
  ['exact', '||a.example^', 'block below a.example'],
  ['exact', '||a.example', 'block below a.example'],
  ['exact', '||a.example^|', 'block below a.example'],
  ['exact', '|a.example^', 'block exact a.example'],
  ['exact', '||a.example^$important', 'block below a.example important'],
  ['exact', 'a.example$important', 'block exact a.example important'],
  ['exact', 'a.example;important', 'block exact a.example important'],
  ['exact', '*.a.example;Important;reply=NXDOMAIN', 'block below a.example important form=nx'],
  ['exact', 'a.example;querytype=!A', 'block exact a.example types=-1'],
  ['exact', 'a.example;client=192.168.1.5', 'block exact a.example clients=+192.168.1.5'],
  ['exact', 'a.example;client=!tablet', 'block exact a.example clients=-tablet'],
  [
    'exact',
    '*.a.example;client=10.0.0.0/8,~tablet,~7;reply=NONE',
    'block below a.example clients=+10.0.0.0/8-#7-tablet form=drop',
  ],
  ['regex', '.*;client=02-42-AC-11-00-05', 'block pattern .* clients=+02:42:ac:11:00:05'],
  ['exact', 'a.example;reply=192.0.2.1', `block exact a.example form=192.0.2.1+${NULL6}`],
  ['regex', '^ad[0-9]+\\.', 'block pattern ^ad[0-9]+\\.'],
  ['regex', '(\\.|^)a\\.example$', 'block pattern (\\.|^)a\\.example$'],
  ['regex', '[[:alpha:]]+(x y|z)', 'block pattern [[:alpha:]]+(x y|z)'],
  ['regex', 'a(?#why)b', 'block pattern ab'],
  ['regex', '\\<ads\\>', 'block pattern \\bads\\b'],
  ['regex', 'x|[(?#)]\\(?#', 'block pattern x|[(?#)]\\(?#'],
  ['regex', 'x;querytype=A,aaaa', 'block pattern x types=+1+28'],
  ['regex', 'x;querytype=!A', 'block pattern x types=-1'],
  ['regex', 'x;querytype=A,OTHER', `block pattern x types=-${NAMED_BUT_A.replaceAll('+', '-')}`],
  ['regex', 'x;querytype=!A,OTHER', `block pattern x types=+${NAMED_BUT_A}`],
  ['regex', 'x;invert', 'block pattern x inverted'],
  ['regex', 'x;important', 'block pattern x important'],
  ['regex', 'a'.repeat(2000), `block pattern ${'a'.repeat(2000)}`],
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
    it(`${kind} ${text.slice(0, 60)}`, () => {
      const parsed = parse(kind, text);
      assert.ok(parsed.isRule, JSON.stringify(parsed));
      assert.equal(shown(parsed.rule), rule);
      assert.equal(parsed.warning, undefined);
    });
  }

  it('may allow a name', () => {
    for (const domain of ['*.a.example', '@@||a.example^']) {
      const parsed = parseUserRule({ domain, kind: 'exact', action: 'allow' }, check);
      assert.ok(parsed.isRule && shown(parsed.rule) === 'allow below a.example', domain);
    }
  });

  const stored: readonly (readonly [kind: UserRuleText['kind'], text: string, stored: string])[] = [
    ['exact', 'ADS.Example.', 'ads.example'],
    ['exact', '*.BÜCHER.example', '*.xn--bcher-kva.example'],
    ['exact', '||ads.example^', '*.ads.example'],
    ['exact', '|ads.example^', 'ads.example'],
    ['exact', '||ads.example^$important', '*.ads.example;important'],
    ['exact', '||ads.example^$important;important', '*.ads.example;important'],
    ['exact', 'Ads.example;reply=NXDOMAIN', 'ads.example;reply=NXDOMAIN'],
    ['regex', '^AD[0-9];invert', '^AD[0-9];invert'],
    ['exact', 'ads.example;IMPORTANT', 'ads.example;important'],
    ['exact', 'ads.example;important;Important', 'ads.example;important'],
    ['exact', 'ads.example;REPLY=nxdomain', 'ads.example;reply=NXDOMAIN'],
    ['exact', 'ads.example;important;querytype=aaaa,A,TYPE1', 'ads.example;querytype=A,AAAA;important'],
    ['exact', 'ads.example;querytype=!other,txt', 'ads.example;querytype=!TXT,OTHER'],
    [
      'exact',
      'ads.example;reply=2001:DB8:0::1;reply=192.0.2.1',
      'ads.example;reply=192.0.2.1;reply=2001:db8::1',
    ],
    ['exact', 'ads.example;reply=cname,Bücher.example', 'ads.example;reply=CNAME,xn--bcher-kva.example'],
    ['regex', '^AD;INVERT;Reply=None;QUERYTYPE=a', '^AD;querytype=A;reply=NONE;invert'],
    ['regex', '^ads;Important', '^ads;important'],
    ['exact', 'a.example;CLIENT=192.168.1.5', 'a.example;client=192.168.1.5'],
    ['exact', 'a.example;client=192.168.1.77/24', 'a.example;client=192.168.1.0/24'],
    ['exact', 'a.example;client=10.1.2.3/12', 'a.example;client=10.0.0.0/12'],
    ['exact', 'a.example;client=0.0.0.0/0', 'a.example;client=0.0.0.0/0'],
    ['exact', 'a.example;client=FD00:0::5', 'a.example;client=fd00::5'],
    ['exact', 'a.example;client=fd00::5:1/64', 'a.example;client=fd00::/64'],
    ['exact', 'a.example;client=::ffff:192.168.1.5', 'a.example;client=192.168.1.5'],
    ['exact', 'a.example;client=::ffff:192.168.1.5/120', 'a.example;client=192.168.1.0/24'],
    ['exact', 'a.example;client=::/0', 'a.example;client=::/0'],
    ['exact', 'a.example;client=0242.AC11.0005', 'a.example;client=02:42:ac:11:00:05'],
    ['exact', 'a.example;client=0242ac110005', 'a.example;client=02:42:ac:11:00:05'],
    ['exact', 'a.example;client=Tablet.LAN.', 'a.example;client=tablet.lan'],
    ['exact', 'a.example;client= The Tablet , 7 ', 'a.example;client=7,the tablet'],
    ['exact', 'a.example;client=#007', 'a.example;client=7'],
    ['exact', "a.example;client=Mom's: phone", "a.example;client=mom's: phone"],
    ['exact', 'a.example;client=Küche', 'a.example;client=küche'],
    ['exact', 'a.example;client=:Eth1', 'a.example;client=:eth1'],
    ['exact', 'a.example;client=b|a|b', 'a.example;client=a,b'],
    ['exact', 'a.example;client=~b,~a', 'a.example;client=!a,b'],
    ['exact', 'a.example;client=!b,a', 'a.example;client=!a,b'],
    ['exact', 'a.example;client= ~ b, a', 'a.example;client=a,~b'],
    ['regex', '^x;important;client=a;reply=NONE;querytype=A', '^x;querytype=A;client=a;reply=NONE;important'],
  ];
  for (const [kind, text, wanted] of stored) {
    it(`${text} is stored as ${wanted}, which means the same`, () => {
      const parsed = parse(kind, text);
      assert.ok(parsed.isRule);
      assert.equal(parsed.text, wanted);
      const again = parse(kind, wanted);
      assert.ok(again.isRule);
      assert.deepEqual([again.text, shown(again.rule)], [wanted, shown(parsed.rule)]);
    });
  }
});

const label64 = 'a'.repeat(64);
const notRegex = 'notRegex';
const notDomain = 'notDomain';
const whatToWrite = 'write a name, *.name, or an expression of the kind regex';
const noModifiers = 'own rules have ;querytype=, ;client= and ;reply= instead of modifiers';
const accepted =
  'accepted are an address, a range (192.168.1.0/24), a MAC address, a host name, the comment or the id of ' +
  'a configured client, and :interface, with commas between several, and ~ before those that are excepted';
const longName = 'n'.repeat(256);
const manyClients = Array.from({ length: 501 }, (_, at) => `c${at}`).join();

/** The value of `;client=`, the problem, and its position in the value. */
const NO_CLIENTS: readonly (readonly [value: string, problem: string, at: number])[] = [
  ['', 'A client is missing', 0],
  ['!', 'A client is missing', 1],
  ['a,,b', 'A client is missing', 2],
  ['a,~', 'A client is missing', 2],
  ['192.168.1.300', '"192.168.1.300" is no client', 0],
  ['192.168.1', '"192.168.1" is no client', 0],
  ['192.168.1.0/33', '"192.168.1.0/33" is no client', 0],
  ['192.168.1.0/', '"192.168.1.0/" is no client', 0],
  ['tablet/24', '"tablet/24" is no client', 0],
  ['fd00::/129', '"fd00::/129" is no client', 0],
  ['fe80::1%eth0', '"fe80::1%eth0" is no client', 0],
  ['02:42:ac:11:00', '"02:42:ac:11:00" is no client', 0],
  ['tablet,02:42:ac:11:00:0g,x', '"02:42:ac:11:00:0g" is no client', 7],
  ['a,!b', '"!b" is no client', 2],
  ['!a,~b', '"~b" is no client', 3],
  ['a\u0000b', '"a\u0000b" is no client', 0],
  ['--', '"--" is no client', 0],
  [`a,${longName}`, `"${longName}" is no client`, 2],
];

const WRONG: readonly (readonly [
  kind: UserRuleText['kind'],
  string,
  problem: string,
  hint: string,
  at: number,
])[] = [
  ['exact', '', notDomain, ': an empty label', 0],
  ['exact', '.', notDomain, '.: an empty label', 0],
  ['exact', 'a b', 'blanks', 'a b', 1],
  ['exact', '0.0.0.0 ads.example', 'blanks', '0.0.0.0 ads.example', 7],
  ['exact', 'a.example\u0000', 'blanks', 'a.example\u0000', 9],
  ['exact', 'a..example', notDomain, 'a..example: an empty label, at character 3', 2],
  [
    'exact',
    'a.ex*mple',
    notDomain,
    'a.ex*mple: a * stands only at the beginning, as in *.ads.example; for others use the kind regex',
    0,
  ],
  ['exact', 'a:53', notDomain, 'a:53: a character that names cannot contain, at character 2', 1],
  [
    'exact',
    `${label64}.x`,
    notDomain,
    `${label64}.x: a label over 63 or a name over 253 characters, at character 65`,
    64,
  ],
  [
    'exact',
    'a.example-',
    notDomain,
    'a.example-: its last label begins or ends with a dash, at character 11',
    10,
  ],
  ['exact', 'a.\u{fffd}', 'notIdn', 'a.\u{fffd}: cannot be written as a DNS name', 2],
  [
    'exact',
    '*.a.*.example',
    notDomain,
    '*.a.*.example: a character that names cannot contain, at character 5',
    4,
  ],
  [
    'exact',
    '*a.example',
    notDomain,
    '*a.example: a * stands only at the beginning, as in *.ads.example; for others use the kind regex',
    0,
  ],
  ['exact', '.a.example', notDomain, '.a.example: for the name and everything below it write *.a.example', 0],
  [
    'exact',
    'http://ads.example:80/x',
    notDomain,
    'http://ads.example:80/x: this is the address of a page and DNS sees names only; write ads.example',
    0,
  ],
  ['exact', 'ads.example/x', notDomain, 'ads.example/x: DNS sees names only, no paths; write ads.example', 0],
  [
    'exact',
    '/ads[0-9]/',
    notDomain,
    '/ads[0-9]/: this is a regular expression; add it to the kind regex, without slashes',
    0,
  ],
  ['exact', '%41.example', notDomain, '%41.example: a character that names cannot contain', 0],
  [
    'exact',
    '*.*.example',
    notDomain,
    '*.*.example: a character that names cannot contain, at character 3',
    2,
  ],
  ['exact', '2001:db8::1', notDomain, '2001:db8::1: this is an address, not a name, at character 5', 4],
  [
    'exact',
    '@@||a.example^',
    notDomain,
    '@@||a.example^: @@ allows; add it to the type allow, or write it without @@',
    0,
  ],
  [
    'exact',
    '||a.example^$third-party',
    notDomain,
    `||a.example^$third-party: ${noModifiers}, at character 14`,
    13,
  ],
  [
    'exact',
    '||a.example/x^',
    notDomain,
    `||a.example/x^: a rule for parts of an address: DNS sees names only; ${whatToWrite}`,
    0,
  ],
  ['exact', '||a.*.example^', notDomain, `||a.*.example^: ${whatToWrite}`, 0],
  ['exact', 'a.example;foo', notDomain, 'Invalid option "foo", at character 11 of a.example;foo', 10],
  [
    'exact',
    'a.example;invert',
    notDomain,
    'Only regular expressions can have "invert", at character 11 of a.example;invert',
    10,
  ],
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
  [
    'regex',
    '^x([a-z]{50}){50}',
    notRegex,
    'Too large: with its repetitions expanded it has more than 2000 characters (Unicode classes such as ' +
      '\\pL and long ranges count as many)',
    8,
  ],
  ['regex', 'x;foo', notRegex, 'Invalid option "foo"', 2],
];

describe('a text that is not a rule', () => {
  for (const [kind, text, problem, what, position] of WRONG) {
    it(`${kind} ${JSON.stringify(text.slice(0, 60))}`, () => {
      const hint = kind === 'regex' ? `${what}, at character ${position + 1} of ${text}` : what;
      const parsed = parse(kind, text);
      assert.ok(!parsed.isRule);
      assert.deepEqual([parsed.kind, parsed.hint, parsed.position], [problem, hint, position]);
    });
  }

  for (const [value, problem, at] of NO_CLIENTS)
    for (const kind of ['exact', 'regex'] as const)
      it(`${kind} x;client=${JSON.stringify(value.slice(0, 60))}`, () => {
        const text = `x;client=${value}`;
        const position = 'x;client='.length + at;
        const parsed = parse(kind, text);
        assert.ok(!parsed.isRule);
        const hint = `${problem}; ${accepted}, at character ${position + 1} of ${text}`;
        assert.deepEqual([parsed.hint, parsed.position], [hint, position]);
      });

  it('has two client options, or more clients than a rule may have', () => {
    const twice = parse('exact', 'x;client=a;client=b');
    assert.ok(!twice.isRule);
    assert.match(twice.hint, /^Multiple client options are not allowed: "b", at character 12 of/);
    const many = parse('exact', `x;client=${manyClients}`);
    assert.ok(!many.isRule);
    assert.match(many.hint, /^More than 500 clients in one rule, at character 10 of/);
    assert.ok(parse('exact', `x;client=${manyClients.replace(/,c500$/, '')}`).isRule);
  });

  it('is an expression with too many characters', () => {
    const parsed = parse('regex', 'a'.repeat(4097));
    assert.ok(!parsed.isRule);
    assert.deepEqual([parsed.hint, parsed.position], ['Longer than 4096 characters', 4096]);
  });
});

describe('a rule that is worth a warning', () => {
  const cases: readonly (readonly [text: string, action: 'allow' | 'block', warning: RegExp | undefined])[] =
    [
      ['', 'block', /every name: nothing is left/],
      ['.*', 'block', /every name/],
      ['.', 'block', /every name/],
      ['^', 'block', /every name/],
      ['\\.', 'block', /every name/],
      ['[a-z]', 'block', /every name/],
      ['(ads|.*)', 'allow', /every name: no list blocks/],
      ['^.+$;reply=NODATA', 'block', /every name/],
      ['.*;querytype=HTTPS', 'block', undefined],
      ['.*;client=tablet', 'block', undefined],
      ['.*;client=!tablet', 'block', /every name/],
      ['.*;invert', 'block', /no name, and so has no effect/],
      ['^$', 'block', /no effect/],
      ['^$;invert', 'block', /every name: nothing is left/],
      ['^$;invert', 'allow', /every name: no list blocks/],
      ['^$;invert;querytype=A', 'block', undefined],
      ['^https://ads;invert', 'block', /every name/],
      ['^https?://ads\\.example', 'block', /no effect/],
      ['^\\.;invert', 'block', /every name/],
      ['a\\.\\.b;invert', 'block', /every name/],
      ['ads example$;invert', 'block', /every name/],
      ['a\\Bz\\b-?$;invert', 'block', undefined],
      ['a\\bz;invert', 'block', /every name/],
      ['(\\.|^)school\\.example$;invert', 'block', undefined],
      ['^[^a-z];invert', 'block', undefined],
      ['x$^;invert', 'block', /every name/],
      ['ads', 'block', undefined],
      ['\\.com$', 'block', undefined],
      ['[0-9]', 'block', undefined],
      ['^[a-z]{2}\\.', 'block', undefined],
      ['ads;reply=NXDOMAIN', 'allow', /its reply has no effect/],
    ];
  for (const [domain, action, warning] of cases) {
    it(`${action} ${domain}: ${warning === undefined ? 'no warning' : 'a warning'}`, () => {
      const parsed = parseUserRule({ domain, kind: 'regex', action }, check);
      assert.ok(parsed.isRule);
      assert.match(parsed.warning ?? 'none', warning ?? /^none$/);
    });
  }

  for (const domain of ['1.2.3.4', '1.2.3.4;reply=NXDOMAIN'])
    it(`${domain} as an exact name: a warning`, () => {
      const parsed = parseUserRule({ domain, kind: 'exact', action: 'block' }, check);
      assert.match(parsed.isRule ? (parsed.warning ?? 'none') : parsed.hint, /^It looks like an address/);
    });
});

function isSame(a: ReturnType<typeof parse>, b: ReturnType<typeof parse>): boolean {
  return a.isRule && b.isRule && a.text === b.text && shown(a.rule) === shown(b.rule);
}

describe('any text', () => {
  it('is either a rule that reads back unchanged, or a problem within the text', () => {
    const chars = fc.array(
      fc.constantFrom(
        ...Array.from('ab.*+?()[]{}|^$\\;=,~#<>:!-@'),
        '(?#',
        '[:',
        'reply=',
        'ü',
        ';important',
      ),
    );
    const text = fc.oneof(
      fc.anyText(),
      chars.map((list) => list.join('')),
    );
    fc.assert(
      fc.property(text, fc.constantFrom('exact' as const, 'regex' as const), (domain, kind) => {
        const parsed = parse(kind, domain);
        if (!parsed.isRule) assert.ok(parsed.position >= 0 && parsed.position <= domain.length);
        else assert.ok(isSame(parsed, parse(kind, parsed.text)), parsed.text);
      }),
      { numRuns: 3000 },
    );
  });
});
