// The handler of the metrics for Prometheus: whether they are enabled, who may read them, and in which
// format.

import { fail, metricFamilies, type Settings } from '#contract';
import { prefers } from '../http/accept.ts';
import type { Handlers } from '../http/handler.ts';
import { mayReadMetrics } from '../metrics/access.ts';
import { collect, type MetricSources } from '../metrics/collect.ts';
import { expose, mediaTypes } from '../metrics/exposition.ts';

export interface PrometheusParts {
  readonly settings: () => Settings['metrics'];
  readonly sources: () => MetricSources;
}

export function createPrometheusHandlers(parts: PrometheusParts): Pick<Handlers, 'getPrometheusMetrics'> {
  return {
    getPrometheusMetrics: ({ caller, from }) => {
      const settings = parts.settings();
      if (!settings.enabled) return fail('notFound', 'The metrics are off: set metrics.enabled to true.');
      const request = from();
      if (!mayReadMetrics(settings, caller, request))
        return fail(
          'unauthorized',
          'Add the address to metrics.allowed, or send metrics.token or a session id.',
        );
      const accept = request.headers.find(({ name }) => name === 'accept')?.value;
      const form = prefers(accept, 'application/openmetrics-text', 'text/plain') ? 'openmetrics' : 'text';
      const text = expose(metricFamilies, collect(parts.sources()), form);
      return { status: 200, stream: { mediaType: mediaTypes[form], bytes: Buffer.from(text) } };
    },
  };
}
