// `npm run bench`: measures the program against its bars and prints a table. Arguments select cases
// (`npm run bench -- http start`). Absolute times mean little on a shared machine, so compared programs run
// in interleaved rounds of the same run, and medians are compared. It fails if a bar is missed.

import { authenticatedCase } from './authenticated.ts';
import { dnsCase } from './dns/dns.ts';
import { soakCase } from './dns/soak.ts';
import { floorCase } from './floor.ts';
import { historyCase } from './history/history.ts';
import { httpCase } from './http.ts';
import { loginsCase } from './logins.ts';
import { memoryCase } from './memory.ts';
import { policyCase } from './policy/policy.ts';
import { preparePrograms } from './programs.ts';
import { recoveryCase } from './recovery.ts';
import { printTable, type Case, type Row } from './report.ts';
import { startCase } from './start.ts';
import { watchStolenTime } from '../tools/testing/stolen-time.ts';
import { removeWorkshop } from './workshop.ts';

const CASES: Readonly<Record<string, Case>> = {
  http: httpCase,
  authenticated: authenticatedCase,
  logins: loginsCase,
  recovery: recoveryCase,
  start: startCase,
  memory: memoryCase,
  floor: floorCase,
  dns: dnsCase,
  policy: policyCase,
  history: historyCase,
  soak: soakCase,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(CASES, name));
if (unknown.length > 0) {
  console.error(`There is no case ${unknown.join(', ')}. Cases: ${Object.keys(CASES).join(', ')}.`);
  process.exitCode = 2;
} else process.exitCode = (await measure()) ? 0 : 1;

async function measure(): Promise<boolean> {
  try {
    const programs = await preparePrograms();
    const rows: Row[] = [];
    const stolenTime = watchStolenTime();
    for (const [name, run] of Object.entries(CASES)) {
      if (wanted.length > 0 && !wanted.includes(name)) continue;
      console.error(`measuring ${name} …`);
      rows.push(...(await run(programs)));
    }
    printTable(rows);
    const stolen = stolenTime();
    if (stolen !== undefined) console.log(stolen);
    return rows.every(({ verdict }) => verdict !== 'missed');
  } finally {
    removeWorkshop();
  }
}
