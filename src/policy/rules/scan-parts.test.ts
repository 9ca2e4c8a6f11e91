import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RuleReport, ScannedRule } from './scanned-rule.ts';
import { RuleScanner } from './scan-rules.ts';
import { scanText, shown } from '#testing/policy/scan';

const head = `# ${'a long head '.repeat(400)}\n`;
const text = `${head}0.0.0.0 ads.example
$ORIGIN zone.example.
x CNAME .
@ SOA a. b. (
  1 2
  3 )
y CNAME .
local-zone: "r.example." redirect
local-data: "r.example. A 192.0.2.1"
no rule at all
<p>
||z.example^
##.banner
local-zone: "last.example." redirect`;

function inParts(parts: readonly string[]): { rules: string[]; report: RuleReport } {
  const rules: string[] = [];
  const onRule = (rule: ScannedRule): void => void rules.push(`${rule.line} ${shown(rule)}`);
  const scanner = new RuleScanner({ onRule });
  for (const part of parts) scanner.feed(Buffer.from(part));
  return { rules, report: scanner.finish() };
}

describe('a text in parts', () => {
  const lines = text.split(/(?<=\n)/);

  it('has the same rules, lines and report as the whole text', () => {
    const whole = inParts([text]);
    assert.deepEqual(scanText(text).report, whole.report);
    assert.ok(whole.report.entries >= 5 && whole.report.skipped === 1 && whole.report.invalid === 2);
    for (let at = 1; at < lines.length; at++)
      assert.deepEqual(inParts([lines.slice(0, at).join(''), lines.slice(at).join('')]), whole, `line ${at}`);
    assert.deepEqual(inParts(lines), whole);
  });

  it('is recognized as a list or a page by its first part', () => {
    assert.equal(inParts(['<html>\n', 'ads.example\n']).report.looksLike, 'html');
    assert.equal(inParts(['<html>\n', 'ads.example\n']).report.entries, 0);
    assert.equal(inParts([]).report.looksLike, 'empty');
    assert.equal(inParts(['\u{feff}ads.example\n']).report.entries, 1);
  });
});
