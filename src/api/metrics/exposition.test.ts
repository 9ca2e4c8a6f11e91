// The text of metrics, byte by byte: every kind of metric in both formats, escaping, and special numbers.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MetricFamily } from '#contract';
import { expose, type Sample } from './exposition.ts';

function family(kind: MetricFamily['kind'], ...labels: readonly string[]): MetricFamily {
  return {
    kind,
    help: 'A "text" with \\ and\nmore',
    labels,
  };
}

interface Case {
  readonly name: string;
  readonly family: MetricFamily;
  readonly sample: Sample;
  readonly text: string;
  readonly open: string;
}

const help = 'A "text" with \\\\ and\\nmore';
const openHelp = 'A \\"text\\" with \\\\ and\\nmore';

const cases: readonly Case[] = [
  {
    name: 'a_total',
    family: family('counter'),
    sample: { labels: [], value: 3 },
    text: `# HELP a_total ${help}\n# TYPE a_total counter\na_total 3\n`,
    open: `# HELP a ${openHelp}\n# TYPE a counter\na_total 3\n`,
  },
  {
    name: 'b_info',
    family: family('info', 'version'),
    sample: { labels: ['1.0'], value: 1 },
    text: `# HELP b_info ${help}\n# TYPE b_info gauge\nb_info{version="1.0"} 1\n`,
    open: `# HELP b ${openHelp}\n# TYPE b info\nb_info{version="1.0"} 1\n`,
  },
  {
    name: 'c_s',
    family: family('summary', 'x'),
    sample: { labels: ['y'], value: 0.5, count: 2 },
    text: `# HELP c_s ${help}\n# TYPE c_s summary\nc_s_sum{x="y"} 0.5\nc_s_count{x="y"} 2\n`,
    open: `# HELP c_s ${openHelp}\n# TYPE c_s summary\nc_s_sum{x="y"} 0.5\nc_s_count{x="y"} 2\n`,
  },
  {
    name: 'd',
    family: family('gauge', 'one', 'two'),
    sample: { labels: ['a\\b"c\nd', 'ä{}='], value: -1.5e-7 },
    text: `# HELP d ${help}\n# TYPE d gauge\nd{one="a\\\\b\\"c\\nd",two="ä{}="} -1.5e-7\n`,
    open: `# HELP d ${openHelp}\n# TYPE d gauge\nd{one="a\\\\b\\"c\\nd",two="ä{}="} -1.5e-7\n`,
  },
];

describe('the text of metrics', () => {
  for (const { name, family: declared, sample, text, open } of cases)
    test(`of the ${declared.kind} ${name} is exact in both formats`, () => {
      const families = { [name]: declared };
      assert.equal(expose(families, { [name]: [sample] }, 'text'), text);
      assert.equal(expose(families, { [name]: [sample] }, 'openmetrics'), `${open}# EOF\n`);
    });

  for (const [value, text] of [
    [Number.NaN, 'NaN'],
    [Infinity, '+Inf'],
    [-Infinity, '-Inf'],
    [2 ** 53, '9007199254740992'],
  ] as const)
    test(`the number ${text} is written in the notation of Prometheus`, () => {
      const made = expose({ d: family('gauge') }, { d: [{ labels: [], value }] }, 'text');
      assert.equal(made.split('\n').at(-2), `d ${text}`);
    });

  test('a family without samples is left out', () => {
    assert.equal(expose({ d: family('gauge') }, { d: [] }, 'text'), '');
  });
});
