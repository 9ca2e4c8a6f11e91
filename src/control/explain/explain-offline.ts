// Explains a decision while no dns worker runs, with the plan and the snapshot on disk and an engine that
// answers no clients. It has neither cache nor upstreams, so the explanation ends after rules and local
// records. It runs in a short-lived thread, because it needs as much memory as a dns worker.

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

/** The smallest possible cache; it stays empty. */
const cacheBytes = 65_536;

/** Undefined when there is no plan on disk. */
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
