// Adblock lines compared with two independent sources: a full parser of the syntax, which must find the same
// parts, and the meaning of the special characters as a plain regular expression, which must match the same
// names. With SLUICE_TEST_LISTS, a folder of real lists, both also check its lines.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { RuleParser } from '@adguard/agtree';
import * as fc from '../../../test/running/properties.ts';

import { isBelowOrSame, nameFromText, namesEqual, typeFromText } from '#wire';

import { scanRules } from './scan-rules.ts';
import type { ScannedRule } from './scanned-rule.ts';
import { scanText, shown } from '#testing/policy/scan';

const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
const domain = fc.array(word, { minLength: 2, maxLength: 4 }).map((labels) => labels.join('.'));
const modifier = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('important', 'badfilter', 'dnstype=A|AAAA', 'dnstype=~TXT') },
  fc.constantFrom('dnsrewrite=192.0.2.1', 'dnsrewrite=NXDOMAIN;;', 'dnsrewrite=NOERROR;CNAME;b.example'),
  fc.array(domain, { minLength: 1, maxLength: 3 }).map((names) => `denyallow=${names.join('|')}`),
  fc.array(word, { minLength: 1, maxLength: 3 }).map((names) => `ctag=${names.join('|~')}`),
  fc.constantFrom(
    'client=192.0.2.0/24|~x',
    "client='a b'",
    'third-party',
    'script',
    '~image',
    'domain=x.example',
  ),
);
const line = fc
  .tuple(
    fc.boolean(),
    fc.constantFrom('||', '|'),
    domain,
    fc.uniqueArray(modifier, { maxLength: 3, selector: (text) => text.split('=')[0] }),
  )
  .map(([isAllow, begin, name, modifiers]) => {
    // Exceptions to a rewrite are not supported.
    const isException = isAllow && !modifiers.some((text) => text.startsWith('dnsrewrite'));
    const tail = modifiers.length === 0 ? '' : `$${modifiers.join(',')}`;
    return `${isException ? '@@' : ''}${begin}${name}^${tail}`;
  });

const OURS: ReadonlySet<string> = new Set([
  'important',
  'badfilter',
  'dnstype',
  'denyallow',
  'ctag',
  'client',
  'dnsrewrite',
]);

function choiceText(values: readonly string[]): string {
  return [
    ...values.filter((value) => !value.startsWith('~')).map((value) => `+${value}`),
    ...values.filter((value) => value.startsWith('~')).map((value) => `-${value.slice(1)}`),
  ].join('');
}

/** The result of the other parser, in the format of `shown`; undefined for a rule that is not for DNS. */
function expected(text: string): string | undefined {
  const node = RuleParser.parse(text);
  if (node.type !== 'NetworkRule') return undefined;
  const found = new Map<string, string>();
  for (const { name, value, exception } of node.modifiers?.children ?? []) {
    if (exception === true || !OURS.has(name.value)) return undefined;
    found.set(name.value, value?.value ?? '');
  }
  const action = node.exception ? 'allow' : 'block';
  return [action, ...targetWords(node.pattern.value), ...modifierWords(found)].join(' ');
}

function targetWords(pattern: string): readonly string[] {
  return [pattern.startsWith('||') ? 'below' : 'exact', pattern.replaceAll(/[|^]/g, '')];
}

const rewriteWords: ReadonlyMap<string, string> = new Map([
  ['192.0.2.1', '192.0.2.1'],
  ['NXDOMAIN;;', 'nx'],
  ['NOERROR;CNAME;b.example', 'cname:b.example'],
]);

function modifierWords(found: ReadonlyMap<string, string>): string[] {
  const types = found.get('dnstype')?.replaceAll(/[A-Z]+/g, (type) => String(typeFromText(type)));
  const words = [
    ['important', found.get('important')],
    ['types=', types && choiceText(types.split('|'))],
    ['denyallow=', found.get('denyallow')?.replaceAll('|', ',')],
    ['clients=', found.has('client') ? choiceText(valuesOf(found, 'client')) : undefined],
    ['tags=', found.has('ctag') ? choiceText(valuesOf(found, 'ctag')) : undefined],
    ['form=', rewriteWords.get(found.get('dnsrewrite') ?? '')],
    ['badfilter', found.get('badfilter')],
  ] as const;
  return words.flatMap(([name, value]) => (value === undefined ? [] : [`${name}${value}`]));
}

function valuesOf(found: ReadonlyMap<string, string>, name: string): string[] {
  return (found.get(name) ?? '').replaceAll("'", '').split('|');
}

describe('adblock lines against another parser', () => {
  it('finds the same name and modifiers', () => {
    fc.assert(
      fc.property(line, (text) => {
        const { rules, report } = scanText(text);
        const rule = expected(text);
        assert.deepEqual(rules, rule === undefined ? [] : [rule], text);
        assert.equal(report.skipped, rule === undefined ? 1 : 0);
      }),
      { numRuns: 2000 },
    );
  });

  it('recognizes every cosmetic rule', () => {
    const separator = fc.constantFrom('##', '#@#', '#?#', '#@?#', '#$#', '#$?#', '#%#', '#@%#', '$$');
    const selector = fc.constantFrom('.ad', '#ad', 'div[id="ad.example"]', 'a[href^="http://ad.example/"]');
    const cosmetic = fc
      .tuple(fc.array(domain, { maxLength: 3 }), separator, selector)
      .map(([names, char, body]) => `${names.join(',')}${char}${char === '#%#' ? '//scriptlet("x")' : body}`);
    fc.assert(
      fc.property(cosmetic, (text) => {
        assert.notEqual(RuleParser.parse(text, { tolerant: true }).category, 'Network', text);
        const { rules, report } = scanText(text);
        assert.deepEqual([rules, report.skipped, report.invalid], [[], 1, 0], text);
      }),
      { numRuns: 500 },
    );
  });

  it('finds the same names in hosts lines', () => {
    const address = fc.constantFrom('0.0.0.0', '127.0.0.1', '::1', '::', '192.0.2.1');
    fc.assert(
      fc.property(address, fc.array(domain, { minLength: 1, maxLength: 5 }), (ip, names) => {
        const text = `${ip} ${names.join(' ')} # why`;
        const node = RuleParser.parse(text, { parseHostRules: true });
        assert.ok(node.type === 'HostRule');
        const hosts = node.hostnames.children.map(({ value }) => `block exact ${value}`);
        assert.deepEqual(scanText(text).rules, hosts);
      }),
      { numRuns: 300 },
    );
  });
});

const piece = fc.constantFrom('a', 'b', 'ab', '.', '.', '*', 'x-', 'cdn');
const body = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''));
const hostPiece = fc.constantFrom('a', 'b', 'ab', 'x-a', 'cdn', 'bcdn', 'ba');
const host = fc.array(hostPiece, { minLength: 1, maxLength: 5 }).map((labels) => labels.join('.'));

/**
 * The special characters of the syntax, one by one. `^` is the end: no character of a name is a separator.
 */
function plainMeaning(begin: string, inner: string): RegExp {
  const first = { '||': '^(?:.*\\.)?', '|': '^', '': '' }[begin] ?? '';
  return new RegExp(`${first}${inner.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
}

function doesMatch(rule: ScannedRule, name: string): boolean {
  if (rule.pattern !== undefined) return new RegExp(rule.pattern).test(name);
  const bytes = nameFromText(name) ?? new Uint8Array();
  const isSame = namesEqual(rule.name, rule.nameLength, bytes, bytes.length);
  if (rule.reach === 'exact') return isSame;
  const isWithin = isBelowOrSame(bytes, bytes.length, rule.name.subarray(0, rule.nameLength));
  return rule.reach === 'below' ? isWithin : isWithin && !isSame;
}

const folder = process.env['SLUICE_TEST_LISTS'];
const linesPerList = 20_000;
const hostLine = /^[0-9a-f.:]+\s/;
const isDns = new Set([...OURS, 'all', 'document']);

/** The lines of a list that are in adblock or hosts syntax, sampled evenly. */
function sampled(text: string): readonly string[] {
  const lines = text
    .split(/\r?\n/)
    .filter((one) => /^(?:@@|\||[.-])|[$^]|#[@?$%]*#/.test(one) || hostLine.test(one));
  const step = Math.ceil(lines.length / linesPerList);
  return lines.filter((one, index) => index % step === 0 && !/^[!#[]/.test(one));
}

function realLists(): readonly (readonly [name: string, lines: readonly string[]])[] {
  if (folder === undefined) {
    const lines = ['||a.b.example^', '@@|a.b.example^|', '||a.*.example^', '||a.example/x', '||track.a.'];
    return [['a few lines', [...lines, '||a.b^$third-party', 'a.b##.ad', '@@-a.b.example^|', '0.0.0.0 a.b']]];
  }
  return readdirSync(folder).map((name) => [name, sampled(readFileSync(join(folder, name), 'utf8'))]);
}

/** Names that the pattern should match, or just not. */
function probes(pattern: string): readonly string[] {
  const bare = pattern.replaceAll(/[|^]/g, '').replace(/\.$/, '.com').replace(/^[.-]/, 'a$&');
  const names = [bare.replaceAll('*', ''), bare.replaceAll('*', 'x7'), bare.replaceAll('*', 'a.b')];
  return names.flatMap((name) => [
    name,
    `sub.${name}`,
    `x${name}`,
    `${name}.tail`,
    name.replace(/^[^.]*\./, ''),
  ]);
}

/** As above, for a pattern with both its ends. Without an end mark whole domains are meant. */
function wholeMeaning(pattern: string): RegExp {
  const [, begin = '', inner = '', end = ''] = /^(\|\|?)?(.*?)(\^?\|?)$/.exec(pattern) ?? [];
  const isOpen = end === '' && /[.*]$/.test(inner);
  return isOpen
    ? new RegExp(plainMeaning(begin, inner).source.replace(/\$$/, ''))
    : plainMeaning(begin, inner);
}

/** Names of the machine itself in hosts files. */
const ownNames = / (?:local|localhost(?:\.localdomain)?|broadcasthost|ip6-[a-z]+|[\d.]+)$/;

/** Checks one line; returns what kind it was. */
function judge(text: string): string {
  const node = RuleParser.parse(text, { parseHostRules: true, tolerant: true });
  const scanned = scanText(text);
  if (node.type === 'HostRule') {
    const hosts = node.hostnames.children.map(({ value }) => `block exact ${value}`);
    assert.deepEqual(
      scanned.rules,
      hosts.filter((rule) => !ownNames.test(rule)),
      text,
    );
    return 'hosts';
  }
  if (node.type !== 'NetworkRule') {
    assert.deepEqual(scanned.rules, [], text);
    return 'other';
  }
  const modifiers = node.modifiers?.children ?? [];
  const isForDns = modifiers.every(({ name, exception }) => exception !== true && isDns.has(name.value));
  if (!isForDns || node.pattern.value.includes('/')) {
    assert.deepEqual([scanned.rules, scanned.report.skipped], [[], 1], text);
    return 'skipped';
  }
  judgePattern(text, node.exception, node.pattern.value);
  return 'network';
}

function judgePattern(text: string, isException: boolean, pattern: string): void {
  const meaning = wholeMeaning(pattern);
  let rules = 0;
  scanRules(new TextEncoder().encode(text), {
    onRule: (rule) => {
      rules += 1;
      assert.equal(rule.action, isException ? 'allow' : 'block', text);
      for (const name of probes(pattern))
        assert.equal(doesMatch(rule, name), meaning.test(name), `${text} ${shown(rule)} ${name}`);
    },
  });
  assert.equal(rules, 1, text);
}

describe('lines of real lists against another parser', () => {
  for (const [name, lines] of realLists()) {
    it(`${name}: ${lines.length} lines`, () => {
      const kinds = new Set(lines.map(judge));
      assert.ok(kinds.has('network') || kinds.has('hosts') || lines.length === 0, [...kinds].join());
    });
  }
});

describe('what an adblock pattern matches', () => {
  it('is what a direct interpretation of its characters matches', () => {
    let rules = 0;
    fc.assert(
      fc.property(
        fc.constantFrom('||', '|', ''),
        body,
        fc.array(host, { maxLength: 20 }),
        (begin, inner, hosts) => {
          const text = `${begin}${inner}^`;
          scanRules(new TextEncoder().encode(text), {
            onRule: (rule) => {
              rules += 1;
              const meaning = plainMeaning(begin, inner);
              for (const name of hosts) {
                assert.equal(doesMatch(rule, name), meaning.test(name), `${text} ${shown(rule)} ${name}`);
              }
            },
          });
        },
      ),
      { numRuns: 3000 },
    );
    assert.ok(rules > 1000, `${rules} rules`);
  });
});
