// A few requests by chance for every operation of the OpenAPI document, always the same ones.
// openapi-properties.faults.test.ts sends many more.

import { testRequestsByChance } from './running/requests-by-chance.ts';

testRequestsByChance({ good: 2, bad: 2, unauthorized: 1 });
