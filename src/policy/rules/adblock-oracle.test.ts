// Adblock lines against two second opinions: a full parser of the syntax, which must find the same parts, and
// the meaning of the signs written down as a plain regular expression, which must match the same names.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { RuleParser } from '@adguard/agtree';
import * as fc from 'fast-check';

import { isBelowOrSame, nameFromText, namesEqual, typeFromText } from '#wire';

import { scanRules } from './scan-rules.ts';
import type { ScannedRule } from './scanned-rule.ts';
import { scanText, shown } from './test-scan.ts';

const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
const domain = fc.array(word, { minLength: 2, maxLength: 4 }).map((labels) => labels.join('.'));
const modifier = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('important', 'badfilter', 'dnstype=A|AAAA', 'dnstype=~TXT') },
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
    domain,
    fc.uniqueArray(modifier, { maxLength: 3, selector: (text) => text.split('=')[0] }),
  )
  .map(([isAllow, name, modifiers]) => {
    const tail = modifiers.length === 0 ? '' : `$${modifiers.join(',')}`;
    return `${isAllow ? '@@' : ''}||${name}^${tail}`;
  });

const OURS: ReadonlySet<string> = new Set([
  'important',
  'badfilter',
  'dnstype',
  'denyallow',
  'ctag',
  'client',
]);

const choiceText = (values: readonly string[]): string =>
  [
    ...values.filter((value) => !value.startsWith('~')).map((value) => `+${value}`),
    ...values.filter((value) => value.startsWith('~')).map((value) => `-${value.slice(1)}`),
  ].join('');

/** What the other parser found, in the words of `shown`; undefined for a rule that is not for DNS. */
function expected(text: string): string | undefined {
  const node = RuleParser.parse(text);
  if (node.type !== 'NetworkRule') return undefined;
  const found = new Map<string, string>();
  for (const { name, value, exception } of node.modifiers?.children ?? []) {
    if (exception === true || !OURS.has(name.value)) return undefined;
    found.set(name.value, value?.value ?? '');
  }
  const name = node.pattern.value.replace(/^\|\|(.*)\^$/, '$1');
  return [node.exception ? 'allow' : 'block', 'below', name, ...modifierWords(found)].join(' ');
}

function modifierWords(found: ReadonlyMap<string, string>): string[] {
  const types = found.get('dnstype')?.replaceAll(/[A-Z]+/g, (type) => String(typeFromText(type)));
  const words = [
    ['important', found.get('important')],
    ['types=', types && choiceText(types.split('|'))],
    ['denyallow=', found.get('denyallow')?.replaceAll('|', ',')],
    ['clients=', found.has('client') ? choiceText(valuesOf(found, 'client')) : undefined],
    ['tags=', found.has('ctag') ? choiceText(valuesOf(found, 'ctag')) : undefined],
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

  it('takes no cosmetic rule for anything else', () => {
    const separator = fc.constantFrom('##', '#@#', '#?#', '#@?#', '#$#', '#$?#', '#%#', '#@%#', '$$');
    const selector = fc.constantFrom('.ad', '#ad', 'div[id="ad.example"]', 'a[href^="http://ad.example/"]');
    const cosmetic = fc
      .tuple(fc.array(domain, { maxLength: 3 }), separator, selector)
      .map(([names, sign, body]) => `${names.join(',')}${sign}${sign === '#%#' ? '//scriptlet("x")' : body}`);
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

/** The signs of the syntax, one by one. `^` is the end: no other sign of a name separates. */
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

describe('what an adblock pattern matches', () => {
  it('is what its signs say', () => {
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
