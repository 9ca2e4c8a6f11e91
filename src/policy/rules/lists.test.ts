// Whole lists: the real ones of the folder SLUICE_TEST_LISTS, otherwise generated ones in every format.
// Nearly every line that is not a comment yields a rule, and every name occurs in its line.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { nameToText } from '#wire';

import { loadPatternCheck } from './pattern-check.ts';
import { scanRules } from './scan-rules.ts';

const check = await loadPatternCheck();
const COMMENT = /^\s*(?:$|[#!;[])/;
const GENERATED_LINES = 20_000;

const folder = process.env['SLUICE_TEST_LISTS'];

const FORMS: Readonly<Record<string, (name: string) => string>> = {
  hosts: (name) => `0.0.0.0 ${name}`,
  domains: (name) => name,
  adblock: (name) => `||${name}^`,
  exceptions: (name) => `@@||${name}^|`,
  wildcards: (name) => `*.${name}`,
  dnsmasq: (name) => `address=/${name}/`,
  unbound: (name) => `local-zone: "${name}" always_nxdomain`,
  rpz: (name) => `${name} CNAME .`,
};

function generated(): (readonly [name: string, text: string])[] {
  return Object.entries(FORMS).map(([title, form]) => {
    const lines = Array.from({ length: GENERATED_LINES }, (_, index) =>
      index % 10 === 0 ? `# part ${index}` : form(`b${index}.ads${index % 500}.example`),
    );
    return [title, lines.join('\n')];
  });
}

function lists(): (readonly [name: string, text: string])[] {
  if (folder === undefined) return generated();
  return readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
}

describe('a whole list', () => {
  for (const [title, text] of lists()) {
    it(title, () => {
      const lines = text.split('\n');
      const strangers: string[] = [];
      const report = scanRules(
        new TextEncoder().encode(text),
        {
          onRule: ({ name, nameLength, line, pattern }) => {
            const written = lines[line - 1]?.toLowerCase() ?? '';
            if (pattern !== undefined || COMMENT.test(written)) return;
            const found = nameToText(name.subarray(0, nameLength));
            if (!written.includes(found) && !found.includes('xn--')) strangers.push(`${line}: ${found}`);
          },
        },
        { checkPattern: check },
      );
      const rules = lines.filter((line) => !COMMENT.test(line)).length;
      assert.equal(report.looksLike, 'rules');
      assert.deepEqual(strangers, []);
      assert.ok(report.entries >= 0.95 * rules, `${report.entries} entries of ${rules} lines`);
      assert.ok(report.invalid <= 0.001 * rules, JSON.stringify(report.samples));
    });
  }
});

describe('a list for browsers', () => {
  it('yields only rules for whole names', () => {
    const lines = Array.from({ length: 1000 }, (_, index) => [
      `site${index}.example##.ad-${index}`,
      `site${index}.example,b.example#@#div[class="x.example"]`,
      `||cdn${index}.example/ads/$script,third-party`,
      `||tracker${index}.example^$third-party`,
      `/banner${index}/*$image`,
      `-ad-${index}x250.`,
      `@@||site${index}.example^$generichide`,
      `||ads${index}.example^`,
    ]).flat();
    const names: string[] = [];
    const report = scanRules(new TextEncoder().encode(lines.join('\n')), {
      onRule: ({ name, nameLength }) => names.push(nameToText(name.subarray(0, nameLength))),
    });
    assert.deepEqual(
      names,
      Array.from({ length: 1000 }, (_, index) => `ads${index}.example`),
    );
    assert.deepEqual([report.skipped, report.invalid], [7000, 0]);
  });
});
