// Many requests by chance for every operation of the OpenAPI document; SLUICE_TEST_SEED=random tries new
// ones.

import { testRequestsByChance } from './running/requests-by-chance.ts';

testRequestsByChance({ good: 16, bad: 16, unauthorized: 4 });
