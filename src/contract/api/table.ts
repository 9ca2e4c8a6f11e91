// The table of endpoints: the API is what stands here, no more and no less.

import type { Endpoint } from '../endpoint.ts';
import { configurationEndpoints } from './configuration.ts';
import { documentationEndpoints } from './documentation.ts';
import { groupEndpoints } from './groups.ts';
import { serviceEndpoints } from './service.ts';

export const endpoints = {
  ...serviceEndpoints,
  ...documentationEndpoints,
  ...configurationEndpoints,
  ...groupEndpoints,
} as const satisfies Record<string, Endpoint>;

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;
