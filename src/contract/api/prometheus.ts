// The endpoint that Prometheus reads. It stands where Prometheus looks for it, outside of /api, and has an
// access rule of its own (settings metrics.*).

import { endpoint } from '../endpoint.ts';

export const prometheusEndpoints = {
  getPrometheusMetrics: endpoint({
    method: 'GET',
    path: '/metrics',
    topic: 'service',
    access: 'open',
    summary: 'Get the metrics for Prometheus',
    description:
      'In the text format 0.0.4, or as OpenMetrics 1.0.0 where Accept prefers it. May be read from the ' +
      'addresses in metrics.allowed, with metrics.token as a bearer token, and by whoever is logged in. ' +
      'All metrics: docs/metrics.md.',
    replies: { 200: { description: 'The metrics', body: 'text/plain' } },
    errors: ['unauthorized', 'notFound'],
  }),
} as const;
