// Some garbage for the DNS listeners, the same in every run; garbage.faults.test.ts sends much more.

import { testGarbage } from './support/garbage.ts';

testGarbage({ workers: 2, datagrams: 2_000, connections: 20, queries: 200 });
