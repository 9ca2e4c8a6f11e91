// A few requests by chance for every operation of the OpenAPI document, always the same ones.
// openapi-properties.faults.test.ts sends many more.

import { testRandomRequests } from './running/random-requests.ts';

testRandomRequests({ good: 2, bad: 2, unauthorized: 1 });
