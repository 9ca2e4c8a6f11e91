// Metrics as the text that Prometheus reads: its format 0.0.4, and OpenMetrics 1.0.0, which names families
// without their suffix and marks the end of the text. Both are simple enough to need no library.

import type { MetricFamily } from '#contract';

export interface Sample {
  /** In the order of the family's labels. */
  readonly labels: readonly string[];
  /** For a summary: the sum. */
  readonly value: number;
  /** For a summary only. */
  readonly count?: number;
}

export type Exposition = 'text' | 'openmetrics';

export const mediaTypes: Readonly<Record<Exposition, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/** Families without samples are left out. */
export function expose(
  families: Readonly<Record<string, MetricFamily>>,
  samples: Readonly<Record<string, readonly Sample[]>>,
  form: Exposition,
): string {
  const parts = Object.entries(families).map(([name, family]) =>
    familyText(name, family, samples[name] ?? [], form),
  );
  return parts.join('') + (form === 'openmetrics' ? '# EOF\n' : '');
}

function familyText(
  name: string,
  family: MetricFamily,
  samples: readonly Sample[],
  form: Exposition,
): string {
  if (samples.length === 0) return '';
  const title = form === 'openmetrics' ? name.replace(suffixes[family.kind], '') : name;
  const kind = form === 'text' && family.kind === 'info' ? 'gauge' : family.kind;
  const head = `# HELP ${title} ${helpText(family.help, form)}\n# TYPE ${title} ${kind}\n`;
  return head + samples.map((sample) => sampleText(name, family, sample)).join('');
}

/** The suffixes that OpenMetrics removes from the names of families. */
const suffixes: Readonly<Record<MetricFamily['kind'], RegExp | string>> = {
  counter: /_total$/,
  info: /_info$/,
  gauge: '',
  summary: '',
};

function sampleText(name: string, { labels }: MetricFamily, sample: Sample): string {
  const pairs = labels.map((label, at) => `${label}="${escaped(sample.labels[at] ?? '')}"`);
  const braces = pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
  if (sample.count === undefined) return `${name}${braces} ${numberText(sample.value)}\n`;
  return (
    `${name}_sum${braces} ${numberText(sample.value)}\n` +
    `${name}_count${braces} ${numberText(sample.count)}\n`
  );
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/** In help texts only OpenMetrics escapes quotes. */
function helpText(text: string, form: Exposition): string {
  return form === 'openmetrics' ? escaped(text) : text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}
