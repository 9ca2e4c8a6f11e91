// A flood of garbage for the DNS listeners; SLUICE_TEST_SEED=random sends different bytes.

import { testGarbage } from './support/garbage.ts';

testGarbage({ workers: 4, datagrams: 20_000, connections: 60, queries: 1_000 });
