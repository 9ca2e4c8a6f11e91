// `npm run soak [-- refreshes]`: runs the program with a list that changes at every refresh, a hundred times
// by default. The memory of the whole process, compile threads included, must not grow; it is printed
// regularly. A unit test of the lists does the same faster, in one thread.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

import { boot, type Service } from '../test/running/boot.ts';
import { at } from '../test/running/reply.ts';

const names = 50_000;
const warmUp = 20;
const maxGrowthPercent = 15;

let turn = 0;
const web = createServer((_request, reply) => {
  turn += 1;
  reply.end(Array.from({ length: names }, (_, line) => `host-${turn}-${line}.example\n`).join(''));
});

/** Resident memory of the process. */
function memoryKb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
}

async function removeDefaultList(service: Service): Promise<void> {
  const address = at((await service.call('GET', '/api/lists')).body, 'lists', 1, 'address');
  await service.call('DELETE', `/api/lists/${encodeURIComponent(String(address))}?type=block`);
}

async function refresh(service: Service): Promise<void> {
  const { body } = await service.call('POST', '/api/action/gravity', { maxMs: 60_000 });
  const problem = at(body, 'result', 'problem');
  if (problem !== null) throw new Error(`An update failed: ${String(problem)}`);
}

async function soak(service: Service, refreshes: number): Promise<boolean> {
  let before = 0;
  for (let done = 1; done <= warmUp + refreshes; done++) {
    await refresh(service);
    if (done === warmUp) before = memoryKb(service.pid);
    if (done % 10 === 0) console.log(`${done} refreshes: ${Math.round(memoryKb(service.pid) / 1024)} MB`);
  }
  const grown = ((memoryKb(service.pid) - before) * 100) / before;
  console.log(`grown by ${grown.toFixed(1)} % since refresh ${warmUp}; at most ${maxGrowthPercent} %`);
  return grown <= maxGrowthPercent;
}

web.listen(0, '127.0.0.1');
await once(web, 'listening');
const address = web.address();
const service = await boot({
  env: { SLUICE_WEB_HTTPS: '', SLUICE_DNS_LISTEN: '127.0.0.1:0', SLUICE_DNS_UPSTREAMS: '127.0.0.1#9' },
});
try {
  await removeDefaultList(service);
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/list`;
  await service.call('POST', '/api/lists?type=block', { body: { address: url } });
  process.exitCode = (await soak(service, Number(process.argv[2] ?? 100))) ? 0 : 1;
} finally {
  await service.stop();
  web.close();
}
