// Metrics as the text that Prometheus reads: its own format 0.0.4, and OpenMetrics 1.0.0, which names
// families without their suffix and says where the text ends. Both are a few lines of text each, so that no
// library is needed for them.

import type { MetricFamily } from '#contract';

export interface Sample {
  /** In the order of the family's labels. */
  readonly labels: readonly string[];
  /** Of a summary its sum. */
  readonly value: number;
  /** Of a summary alone. */
  readonly count?: number;
}

export type Exposition = 'text' | 'openmetrics';

export const mediaTypes: Readonly<Record<Exposition, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/** Families without samples are left out. */
export const expose = (
  families: Readonly<Record<string, MetricFamily>>,
  samples: Readonly<Record<string, readonly Sample[]>>,
  form: Exposition,
): string => {
  const parts = Object.entries(families).map(([name, family]) =>
    familyText(name, family, samples[name] ?? [], form),
  );
  return parts.join('') + (form === 'openmetrics' ? '# EOF\n' : '');
};

const familyText = (
  name: string,
  family: MetricFamily,
  samples: readonly Sample[],
  form: Exposition,
): string => {
  if (samples.length === 0) return '';
  const title = form === 'openmetrics' ? name.replace(suffixes[family.kind], '') : name;
  const kind = form === 'text' && family.kind === 'info' ? 'gauge' : family.kind;
  const head = `# HELP ${title} ${helpText(family.help, form)}\n# TYPE ${title} ${kind}\n`;
  return head + samples.map((sample) => sampleText(name, family, sample)).join('');
};

/** What OpenMetrics takes off the names of families. */
const suffixes: Readonly<Record<MetricFamily['kind'], RegExp | string>> = {
  counter: /_total$/,
  info: /_info$/,
  gauge: '',
  summary: '',
};

const sampleText = (name: string, { labels }: MetricFamily, sample: Sample): string => {
  const pairs = labels.map((label, at) => `${label}="${escaped(sample.labels[at] ?? '')}"`);
  const braces = pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
  if (sample.count === undefined) return `${name}${braces} ${numberText(sample.value)}\n`;
  return (
    `${name}_sum${braces} ${numberText(sample.value)}\n` +
    `${name}_count${braces} ${numberText(sample.count)}\n`
  );
};

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

/** In help texts only OpenMetrics wants quotes escaped. */
const helpText = (text: string, form: Exposition): string =>
  form === 'openmetrics' ? escaped(text) : text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

const numberText = (value: number): string => {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
};
