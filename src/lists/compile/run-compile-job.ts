// Runs a job in the compile thread: calls the function for its kind, with the clocks and the pattern checker
// of the thread.

import { loadPatternCheck } from '#policy';
import { sharedClockMs, steadyClockMs } from '#platform/time';
import type { CompileJob, CompileReplies, ExplainOffline } from './compile-job.ts';
import { compileLists } from './compile-lists.ts';
import { examineDraft } from '../copies/examine.ts';
import { findRules } from '../search/find-rules.ts';
import { matchRegexes } from '../search/match-regexes.ts';
import { searchCopies } from '../search/search-copies.ts';
import { loadSnapshotFile } from '../snapshot/snapshot-file.ts';

/** `explain` is passed in, because it lives in `control`, which this room may not import. */
export async function runCompileJob(
  job: CompileJob,
  explain: ExplainOffline,
): Promise<CompileReplies[CompileJob['kind']]> {
  switch (job.kind) {
    case 'compile':
      return compileLists(job.request, {
        steadyMs: steadyClockMs,
        memoryBytes: () => process.memoryUsage.rss(),
        checkPattern: await loadPatternCheck(),
      });
    case 'check': {
      const loaded = loadSnapshotFile(job.snapshotPath);
      return { problem: loaded.kind === 'unusable' ? loaded.problem : undefined };
    }
    case 'examine':
      return examineDraft(job.draftPath, job.unpackedBytes, await loadPatternCheck());
    case 'find':
      return findRules(job.request, sharedClockMs);
    case 'explain':
      return { explained: await explain(job.request) };
    case 'search':
      return {
        regexIds: await matchRegexes(job.regexes, job.request.text),
        ...(await searchCopies(job.request, sharedClockMs)),
      };
  }
}
