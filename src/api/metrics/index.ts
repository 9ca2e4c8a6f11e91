// The door of the metrics: their sources, and the figures that the api thread measures itself.

export type { MetricSources } from './collect.ts';
export { LoadMeter } from './load-meter.ts';
export { readProcessFigures } from './process-figures.ts';
export { RequestCounts } from './request-counts.ts';
