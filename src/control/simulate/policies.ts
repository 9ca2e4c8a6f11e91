// Compiles the current and the changed policy, with the same code as the dns workers, from the snapshot on
// disk. The workers' snapshot in memory is not used, because a later compilation overwrites it. Lists that
// are not in the snapshot are compiled here, with the same key.

import {
  loadPatternCheck,
  openSnapshot,
  RuleScanner,
  SnapshotBuilder,
  type Policy,
  type Snapshot,
} from '#policy';
import { ruleTexts, type PolicyPlan } from '../plan/policy-plan.ts';
import { WorkerPolicy } from '../plan/worker-policy.ts';
import { allowing } from '#lists/compile';
import { ListCopies, listsFolderOf, notAList, readParts } from '#lists/copies';
import { readSnapshotFile } from '#lists/snapshot';
import type { ListText, Refused } from './job.ts';

export interface Policies {
  readonly before: Policy;
  readonly after: Policy;
}

const tooMany = 'The lists to add have more names than a snapshot can hold; add fewer at once.';

export async function openPolicies(
  dataDir: string,
  plans: { readonly before: PolicyPlan; readonly after: PolicyPlan },
  texts: readonly ListText[],
): Promise<Policies | Refused> {
  const lists = openCompiled(dataDir);
  const more = texts.length === 0 ? undefined : await compileTexts(dataDir, texts, lists.key);
  if (more !== undefined && 'problem' in more) return more;
  // One object for both, so that unchanged expressions are compiled once.
  const worker = new WorkerPolicy(() => undefined);
  const [old, changed] = [plans.before, plans.after];
  const before = await worker.compile(old, ruleTexts(old.rules), lists.buffer, true);
  const after = await worker.compile(changed, ruleTexts(changed.rules), lists.buffer, true, more && [more]);
  return { before, after };
}

export async function openPolicy(dataDir: string, plan: PolicyPlan): Promise<Policy> {
  const { buffer } = openCompiled(dataDir);
  return new WorkerPolicy(() => undefined).compile(plan, ruleTexts(plan.rules), buffer, true);
}

interface Compiled {
  readonly buffer: SharedArrayBuffer;
  readonly key: Int32Array;
}

/** An unusable snapshot counts as empty, as in a dns worker. */
function openCompiled(dataDir: string): Compiled {
  const stored = readSnapshotFile(dataDir);
  const opened = stored === undefined ? 'no snapshot' : openSnapshot(stored);
  if (stored !== undefined && typeof opened !== 'string') return { buffer: stored, key: opened.key };
  const buffer = new SnapshotBuilder({ expectedNames: 0 }).finish();
  const empty = buffer === undefined ? 'too short' : openSnapshot(buffer, true);
  if (buffer === undefined || typeof empty === 'string')
    throw new Error('an empty snapshot could not be built');
  return { buffer, key: empty.key };
}

async function compileTexts(
  dataDir: string,
  texts: readonly ListText[],
  key: Int32Array,
): Promise<Snapshot | Refused> {
  const checkPattern = await loadPatternCheck();
  const builder = new SnapshotBuilder({ key });
  for (const { id, type, name, draft = copyOf(dataDir, id) } of texts) {
    if (draft === undefined)
      return { problem: `${name}: there is no copy of this list. Update the lists first.` };
    const sink = builder.list(id);
    const scanner = new RuleScanner(type === 'allow' ? allowing(sink) : sink, { checkPattern });
    await readParts(draft.path, draft.unpackedBytes, (part) => scanner.feed(part));
    const problem = notAList(scanner.finish());
    if (problem !== undefined) return { problem: `${name}: ${problem}` };
  }
  return builder.finishHere() ?? { problem: tooMany };
}

function copyOf(dataDir: string, id: number): ListText['draft'] {
  const found = new ListCopies(listsFolderOf(dataDir)).findCurrent(id);
  return found && { path: found.path, unpackedBytes: found.description.unpackedBytes };
}
