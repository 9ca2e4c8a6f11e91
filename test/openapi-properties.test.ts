// A few random requests for every operation of the OpenAPI document, the same ones in every run.
// openapi-properties.faults.test.ts sends many more.

import { testRandomRequests } from './running/random-requests.ts';

testRandomRequests({ good: 2, bad: 2, unauthorized: 1 });
