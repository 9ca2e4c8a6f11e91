// Texts as a whole: a list, a page, a program, nothing; what a bad line affects; what the report shows; and
// the two formats in which lines depend on each other.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { MAX_INVALID_SAMPLES, MAX_LINE_BYTES, MAX_SAMPLE_CHARACTERS, MAX_SKIPPED_SAMPLES } from './limits.ts';
import { Invalid } from './reasons.ts';
import { scanText } from '#testing/policy/scan';

describe('a text', () => {
  it('may begin with a byte order mark and have LF or CRLF line ends', () => {
    assert.deepEqual(scanText('\u{feff}a.example\r\nb.example\nc.example').rules, [
      'block exact a.example',
      'block exact b.example',
      'block exact c.example',
    ]);
  });

  it('distinguishes web pages, programs and empty files from lists', () => {
    for (const [text, kind] of [
      ['', 'empty'],
      [' \r\n\t\n', 'empty'],
      ['\u{feff}', 'empty'],
      ['\n <!DOCTYPE html>\n<html>\na.example', 'html'],
      ['<HTML>\na.example', 'html'],
      ['\u{0}\u{1}\u{2}\na.example', 'binary'],
      ['# nothing but words', 'rules'],
    ] as const) {
      const { rules, report } = scanText(text);
      assert.equal(report.looksLike, kind, JSON.stringify(text));
      assert.deepEqual(rules, []);
    }
  });

  it('is not a list when it is compressed or in UTF-16', () => {
    const wide = new Uint8Array(Buffer.from('\u{feff}a.example\nb.example\n', 'utf16le'));
    assert.equal(scanText(wide).report.looksLike, 'binary');
    const gzip = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x4b, 0xd4, 0x4b, 0xad, 0x48, 0xcc);
    assert.equal(scanText(gzip).report.looksLike, 'binary');
  });

  it('loses a line with a control character, but not the lines around it', () => {
    const filler = '# comment\n'.repeat(100);
    const { rules, report } = scanText(`${filler}a.example\nb\u{0}.example\nc.example\u{7}\nd.example`);
    assert.deepEqual(rules, ['block exact a.example', 'block exact d.example']);
    assert.deepEqual(
      report.samples.map(({ line, reason }) => [line, reason]),
      [
        [102, Invalid.control],
        [103, Invalid.control],
      ],
    );
  });

  it('loses a line that is too long by one byte', () => {
    const long = (bytes: number): string => `0.0.0.0 a.example #${' '.repeat(bytes - 20)}x`;
    assert.equal(scanText(long(MAX_LINE_BYTES)).report.entries, 1);
    const { report } = scanText(`${long(MAX_LINE_BYTES + 1)}\n#${'-'.repeat(MAX_LINE_BYTES)}`);
    assert.deepEqual([report.entries, report.invalid], [0, 1]);
    assert.equal(report.samples[0]?.reason, Invalid.tooLong);
    assert.ok((report.samples[0]?.text.length ?? 0) <= MAX_SAMPLE_CHARACTERS);
  });

  it('counts a hosts line with several bad names once and keeps its good ones', () => {
    const { rules, report } = scanText('0.0.0.0 a..b good.example c..d\nword');
    assert.deepEqual(rules, ['block exact good.example']);
    assert.equal(report.invalid, 2);
  });

  it('keeps a bounded sample, with line numbers and without terminal codes', () => {
    const { report } = scanText(`${'word\n'.repeat(50)}${'##.ad\n'.repeat(50)}`);
    assert.equal(report.samples.length, MAX_INVALID_SAMPLES + MAX_SKIPPED_SAMPLES);
    assert.deepEqual([report.invalid, report.skipped], [50, 50]);
    assert.equal(report.samples[1]?.line, 2);
    assert.equal(report.samples.at(-1)?.line, 50 + MAX_SKIPPED_SAMPLES);
    const odd = scanText(`${'# comment\n'.repeat(100)}a\u{1b}[31m\u{202e}b`);
    assert.equal(odd.report.samples[0]?.text, 'a\u{fffd}[31m\u{fffd}b');
  });

  it('may be a zone, with an origin and an SOA over several lines', () => {
    const zone = [
      '$TTL 300',
      '$ORIGIN rpz.example.',
      '@ IN SOA localhost. root.localhost. (',
      '    2026111501 ; serial',
      '    3600 600 86400',
      '    300 )',
      '  IN NS localhost.',
      'a.example.rpz.example. CNAME .',
      '*.a.example CNAME .',
      'b.example. CNAME .',
    ];
    const { rules, report } = scanText(zone.join('\n'));
    assert.deepEqual(rules, [
      'block exact a.example form=nx',
      'block onlyBelow a.example form=nx',
      'block exact b.example form=nx',
    ]);
    assert.deepEqual([report.skipped, report.invalid, report.formats.rpz], [0, 0, 3]);
  });

  it('may redirect zones of unbound, with data or without', () => {
    const lines = [
      'server:',
      'local-zone: "a.example" redirect',
      'local-data: "a.example A 192.0.2.1"',
      'local-data: "a.example AAAA 2001:db8::1"',
      'local-zone: "b.example" redirect',
      'local-zone: "c.example" always_nxdomain',
      'local-zone: "d.example" redirect',
    ];
    assert.deepEqual(scanText(lines.join('\n')).rules, [
      'block below a.example form=192.0.2.1',
      'block below a.example form=32.1.13.184.0.0.0.0.0.0.0.0.0.0.0.1',
      'block below b.example',
      'block below c.example form=nx',
      'block below d.example',
    ]);
  });
});
