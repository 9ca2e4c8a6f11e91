// Many random requests for every operation of the OpenAPI document; SLUICE_TEST_SEED=random tries new ones.

import { testRandomRequests } from './running/random-requests.ts';

testRandomRequests({ good: 16, bad: 16, unauthorized: 4 });
