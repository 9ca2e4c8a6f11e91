// The table of endpoints: it defines the whole API. Routes, validation, documents and clients are derived
// from it.

import type { Endpoint } from '../endpoint.ts';
import { actionEndpoints } from './actions.ts';
import { authenticationEndpoints } from './authentication.ts';
import { clientEndpoints } from './clients.ts';
import { configurationEndpoints } from './configuration.ts';
import { dnsEndpoints } from './dns.ts';
import { documentationEndpoints } from './documentation.ts';
import { domainEndpoints } from './domains.ts';
import { eventEndpoints } from './events.ts';
import { explainEndpoints } from './explain.ts';
import { groupEndpoints } from './groups.ts';
import { historyEndpoints } from './history.ts';
import { informationEndpoints } from './information.ts';
import { listEndpoints } from './lists.ts';
import { logEndpoints } from './logs.ts';
import { machineEndpoints } from './machine.ts';
import { messageEndpoints } from './messages.ts';
import { prometheusEndpoints } from './prometheus.ts';
import { queryEndpoints } from './queries.ts';
import { revisionEndpoints } from './revisions.ts';
import { searchEndpoints } from './search.ts';
import { serviceEndpoints } from './service.ts';
import { simulateEndpoints } from './simulate.ts';
import { statisticsEndpoints } from './statistics.ts';

export const endpoints = {
  ...authenticationEndpoints,
  ...serviceEndpoints,
  ...informationEndpoints,
  ...machineEndpoints,
  ...logEndpoints,
  ...prometheusEndpoints,
  ...messageEndpoints,
  ...eventEndpoints,
  ...documentationEndpoints,
  ...configurationEndpoints,
  ...groupEndpoints,
  ...domainEndpoints,
  ...listEndpoints,
  ...clientEndpoints,
  ...dnsEndpoints,
  ...explainEndpoints,
  ...searchEndpoints,
  ...statisticsEndpoints,
  ...simulateEndpoints,
  ...historyEndpoints,
  ...queryEndpoints,
  ...revisionEndpoints,
  ...actionEndpoints,
} as const satisfies Record<string, Endpoint>;

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;
