// An explanation while no dns worker runs: by the plan and the compiled lists that lie on the disk, with an
// engine that answers nobody. It has neither a cache nor upstreams, so that it ends with what rules and local
// records say. Short-lived, as what it loads is as large as a worker.

import {
  countersBytes,
  Engine,
  type Explained,
  Explanation,
  makeRecordRing,
  noForwarder,
  Outgoing,
} from '#engine';
import { steadyClockMs, wallClockMs } from '#platform/time';
import type { OfflineRequest } from '#lists/compile';
import { readPlan } from '../plan/dns-plan.ts';
import { readPreviousSnapshot, readSnapshotFile } from '#lists/snapshot';
import { readPolicyPlan } from '../plan/policy-plan.ts';
import { WorkerPolicy } from '../plan/worker-policy.ts';

/** The least that a cache can be; nothing is put in. */
const cacheBytes = 65_536;

/** Nothing when there is no plan on the disk. */
export async function explainOffline({
  dataDir,
  version,
  inquiry,
}: OfflineRequest): Promise<Explained | undefined> {
  const plan = readPlan(dataDir, version);
  if (plan === undefined) return undefined;
  const { engine: options, policy: planText, rules } = plan.options;
  const readPrevious = () => readPreviousSnapshot(dataDir);
  const worker = new WorkerPolicy(() => undefined, undefined, readPrevious);
  const policy = await worker.compile(readPolicyPlan(planText), rules, readSnapshotFile(dataDir));
  const engine = new Engine(options, {
    policy,
    forwarder: noForwarder,
    outgoing: new Outgoing(),
    cacheBytes,
    hashSeed: 1,
    records: makeRecordRing(0),
    counters: new SharedArrayBuffer(countersBytes),
    nowMs: steadyClockMs,
    wallMs: wallClockMs,
    onBusy: () => undefined,
  });
  const explained = new Explanation(engine, inquiry).finish(undefined);
  return { ...explained, cache: undefined, upstream: undefined };
}
