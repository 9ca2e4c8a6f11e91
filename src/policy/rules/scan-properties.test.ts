// For any bytes, a scan ends, throws nothing and emits only well-formed names; and a line has the same
// meaning whether it is parsed as bytes or, spelt a little differently, as text.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { cpuMs } from '../../../test/running/cpu-time.ts';
import * as fc from '../../../test/running/properties.ts';

import { nameLengthOf, nameToText } from '#wire';

import { loadPatternCheck } from './pattern-check.ts';
import { scanRules } from './scan-rules.ts';
import { scanText } from '#testing/policy/scan';

const check = await loadPatternCheck();

const SEEDS = [
  '0.0.0.0 a.example b.example # c',
  '*.a.example',
  "||a.example^$important,dnstype=A|~AAAA,client='x y'|z",
  '@@||a.*.example^|',
  '/^ad[0-9]+\\.(?:x|y)$/$important',
  'address=/a.example/b.example/0.0.0.0',
  'local-zone: "a.example" redirect',
  'local-data: "a.example A 192.0.2.1"',
  '*.a.example 300 IN CNAME rpz-passthru.',
  '@ IN SOA a. b. (',
  '$ORIGIN rpz.example.',
  'bücher.example',
  'a.example##.ad',
  '<html>',
].map((text) => new TextEncoder().encode(`${text}\n`));

/** The rules of a scan are well formed, and the report adds up. */
function checkScan(bytes: Uint8Array): void {
  let seen = 0;
  let lastLine = 0;
  const report = scanRules(
    bytes,
    {
      onRule: ({ name, nameLength, pattern, address, line }) => {
        seen += 1;
        lastLine = Math.max(lastLine, line);
        if (pattern !== undefined || address !== undefined) return;
        assert.equal(nameLengthOf(name), nameLength);
        assert.match(nameToText(name), /^[a-z0-9_.-]{1,253}$/);
      },
    },
    { checkPattern: check },
  );
  assert.equal(report.entries, seen);
  assert.equal(
    Object.values(report.formats).reduce((sum, count) => sum + count, 0),
    seen,
  );
  assert.ok(lastLine <= report.lines);
  assert.ok(report.skipped + report.invalid <= report.lines);
  for (const { text, line } of report.samples) {
    assert.doesNotMatch(text, /[\u0000-\u001f\u007f]/);
    assert.ok(line >= 1 && line <= report.lines);
  }
}

const mutation = fc.record({
  at: fc.nat(400),
  byte: fc.oneof(fc.nat(255), fc.constantFrom(...new TextEncoder().encode('|@$^*./\\#"\'=,;[]() \t\r\n'))),
  kind: fc.constantFrom('replace', 'insert', 'delete'),
});

function mutated(
  bytes: readonly number[],
  changes: readonly { at: number; byte: number; kind: string }[],
): Uint8Array {
  const out = [...bytes];
  for (const { at, byte, kind } of changes) {
    const index = at % out.length;
    out.splice(index, kind === 'insert' ? 0 : 1, ...(kind === 'delete' ? [] : [byte]));
  }
  return Uint8Array.from(out);
}

describe('a scan', () => {
  it('survives random bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 2000 }), checkScan), { numRuns: 1500 });
  });

  it('survives mutated rules', () => {
    const text = fc.array(fc.constantFrom(...SEEDS), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(text, fc.array(mutation, { maxLength: 8 }), (lines, changes) => {
        checkScan(
          mutated(
            lines.flatMap((line) => [...line]),
            changes,
          ),
        );
      }),
      { numRuns: 4000 },
    );
  });

  it('survives any text of the characters that rules consist of', () => {
    const char = fc.constantFrom(
      ...Array.from('||@@^^$$*./#=,;:"\'[](){}\\ \tab1-_~!ü'),
      'CNAME',
      'local-zone:',
      'address=/',
    );
    const text = fc.array(char, { maxLength: 60 }).map((chars) => chars.join(''));
    fc.assert(
      fc.property(text, (line) => checkScan(new TextEncoder().encode(line))),
      { numRuns: 4000 },
    );
  });

  it('takes linear time for lines that are made to be slow', () => {
    const parts = [
      '*',
      '.',
      'a.',
      '|',
      '^',
      '$',
      '/',
      '/$',
      ' ',
      '; ',
      '\t;',
      "'",
      '[:',
      '{+',
      '||*a',
      '-',
      'a-',
      '=',
      '1 ',
    ];
    const starts = [
      '',
      '||',
      '/',
      'a.example ',
      'address=/',
      'local-zone: "',
      '||a^$client=',
      '||a^$denyallow=',
      '#',
    ];
    const lines = starts.flatMap((start) =>
      parts.map((part) => `${start}${part.repeat(8000 / part.length)}`),
    );
    const text = new TextEncoder().encode(lines.map((line) => line.slice(0, 8000)).join('\n'));
    const tookMs = cpuMs(() => checkScan(text));
    // 171 lines of 8,000 bytes; quadratic work per line would be 60 times as much.
    assert.ok(tookMs < 4_000, `${tookMs} ms of CPU`);
  });
});

const SPELLINGS: readonly (readonly [asBytes: (name: string) => string, asText: (name: string) => string])[] =
  [
    [(name) => `0.0.0.0 ${name}`, (name) => `0::0 ${name}`],
    [(name) => name, (name) => `${name} ; c`],
    [(name) => `*.${name}`, (name) => `*.${name} ; c`],
    [(name) => `||${name}^`, (name) => `||${name}^ # c`],
    [(name) => `@@||${name}^`, (name) => `@@||${name}^$_`],
    [(name) => `address=/${name}/`, (name) => `--address=/${name}/`],
    [(name) => `address=/${name}/0.0.0.0`, (name) => `address=/${name}/0.0.0.0 # c`],
    [(name) => `address=/${name}/#`, (name) => `--address=/${name}/#`],
    [(name) => `server=/${name}/#`, (name) => `--server=/${name}/#`],
    [(name) => `local=/${name}/`, (name) => `--local=/${name}/`],
    ...['always_nxdomain', 'static', 'always_null', 'always_nodata', 'always_refuse', 'refuse'].map(
      (type) =>
        [
          (name: string) => `local-zone: "${name}" ${type}`,
          (name: string) => `local-zone:  '${name}'  ${type}`,
        ] as const,
    ),
    ...['CNAME .', 'CNAME *.', 'CNAME rpz-passthru.', 'IN CNAME .'].flatMap((data) => [
      [(name: string) => `${name} ${data}`, (name: string) => `${name}  ${data} ; c`] as const,
      [(name: string) => `*.${name} ${data}`, (name: string) => `*.${name} 60 ${data}`] as const,
    ]),
  ];

describe('a line as bytes and as text', () => {
  const label = fc.stringMatching(/^[a-z0-9_]([a-z0-9_-]{0,8}[a-z0-9_])?$/);
  const name = fc
    .tuple(fc.array(label, { minLength: 1, maxLength: 4 }), fc.stringMatching(/^[a-z]{2,6}$/))
    .map(([labels, last]) => [...labels, last].join('.'));
  for (const [asBytes, asText] of SPELLINGS) {
    it(`${asBytes('x.example')} and ${asText('x.example')}`, () => {
      fc.assert(
        fc.property(name, (text) => {
          const { rules } = scanText(asBytes(text));
          assert.equal(rules.length, 1);
          assert.deepEqual(scanText(asText(text)).rules, rules);
        }),
        { numRuns: 50 },
      );
    });
  }
});
