// A strict parser of both text formats that Prometheus scrapes, written from their documentation. It refuses
// what a lenient parser would accept: samples without a TYPE, families in several pieces, duplicate series,
// wrong escapes, a missing end.

import assert from 'node:assert/strict';

export type Scraped = {
  readonly families: ReadonlyMap<string, { readonly type: string; readonly help: string }>;
  /** By name and labels, sorted by label. */
  readonly series: ReadonlyMap<string, number>;
  /** The value of a series; fails if there is no such series. */
  readonly value: (name: string, labels?: Readonly<Record<string, string>>) => number;
};

type Format = 'text' | 'openmetrics';

const metaLine = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/u;
const sampleLine = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/u;
const labelPair = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,(?=.)|$)/uy;
const numberText = /^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]Inf|NaN)$/u;

/** Suffixes that the names of a family's samples may have, by its type. */
const suffixes: Readonly<Record<Format, Readonly<Record<string, readonly string[]>>>> = {
  text: { counter: [''], gauge: [''], summary: ['_sum', '_count'] },
  openmetrics: { counter: ['_total'], gauge: [''], summary: ['_sum', '_count'], info: ['_info'] },
};

export const scrape = (text: string, format: Format): Scraped => {
  const families = new Map<string, { type: string; help: string }>();
  const series = new Map<string, number>();
  let current = '';
  for (const line of linesOf(text, format)) {
    const meta = metaLine.exec(line);
    if (meta !== null) {
      current = readMeta(families, current, meta);
      continue;
    }
    const { name, labels, value } = readSample(line);
    const { type = '' } = families.get(current) ?? {};
    const allowed = suffixes[format][type] ?? [];
    assert.ok(
      allowed.some((suffix) => name === current + suffix),
      `${line} is not a sample of the ${type} ${current}`,
    );
    const key = keyOf(name, labels);
    assert.ok(!series.has(key), `${key} occurs twice`);
    if (type === 'counter' || type === 'summary') assert.ok(value >= 0, line);
    series.set(key, value);
  }
  return { families, series, value: (name, labels = {}) => valueOf(series, keyOf(name, labels)) };
};

const linesOf = (text: string, format: Format): readonly string[] => {
  assert.ok(text.endsWith('\n'), 'The last line has no line end.');
  const lines = text.slice(0, -1).split('\n');
  if (format === 'text') return lines;
  assert.equal(lines.pop(), '# EOF');
  return lines;
};

/** HELP opens a family, and TYPE must be the next line. */
const readMeta = (
  families: Map<string, { type: string; help: string }>,
  current: string,
  [line, word, name = '', rest = '']: RegExpExecArray,
): string => {
  if (word === 'HELP') {
    assert.ok(!families.has(name), `${name} is opened twice`);
    assert.doesNotMatch(rest.replaceAll(/\\\\|\\n|\\"/gu, ''), /\\/u, line);
    families.set(name, { type: '', help: rest });
    return name;
  }
  const family = families.get(name);
  assert.ok(family !== undefined && name === current && family.type === '', `${line} is out of place`);
  family.type = rest;
  return name;
};

const readSample = (line: string) => {
  const [, name = '', inside = '', value = ''] =
    sampleLine.exec(line) ?? assert.fail(`not a sample: ${line}`);
  assert.match(value, numberText, line);
  const labels: Record<string, string> = {};
  labelPair.lastIndex = 0;
  while (labelPair.lastIndex < inside.length) {
    const [, label = '', escaped = ''] = labelPair.exec(inside) ?? assert.fail(`wrong labels: ${line}`);
    assert.ok(!Object.hasOwn(labels, label), `${label} twice: ${line}`);
    labels[label] = escaped.replaceAll(/\\(.)/gu, (_, sign: string) => (sign === 'n' ? '\n' : sign));
  }
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) };
};

const keyOf = (name: string, labels: Readonly<Record<string, string>>): string =>
  `${name} ${JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))}`;

const valueOf = (series: ReadonlyMap<string, number>, key: string): number => {
  const value = series.get(key);
  assert.ok(value !== undefined, `${key} is missing; found:\n${[...series.keys()].join('\n')}`);
  return value;
};
