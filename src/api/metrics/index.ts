// The door of the metrics: what is counted, and the page that Prometheus reads.

export type { MetricSources } from './collect.ts';
export { LoadMeter } from './load-meter.ts';
export { readProcessFigures } from './process-figures.ts';
export { RequestCounts } from './request-counts.ts';
