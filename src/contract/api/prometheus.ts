// The endpoint for Prometheus. It has the path that Prometheus expects, outside /api, and its own access
// rules (settings metrics.*).

import { endpoint } from '../endpoint.ts';

export const prometheusEndpoints = {
  getPrometheusMetrics: endpoint({
    method: 'GET',
    path: '/metrics',
    topic: 'service',
    access: 'open',
    summary: 'Get the metrics for Prometheus',
    description:
      'In the text format 0.0.4, or as OpenMetrics 1.0.0 if Accept prefers it. Readable from the addresses ' +
      'in metrics.allowed, with metrics.token as a bearer token, and for logged-in clients. ' +
      'All metrics: docs/metrics.md.',
    replies: { 200: { description: 'The metrics', body: 'text/plain' } },
    errors: ['unauthorized', 'notFound'],
  }),
} as const;
