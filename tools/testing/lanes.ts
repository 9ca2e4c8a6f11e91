// Runs jobs on several lanes in parallel, one job at a time on each lane, and prints each result when its job
// ends.

import { runJob, type JobOptions, type JobResult } from './job.ts';
import { jobText } from './report.ts';

export async function runOnLanes(
  lanes: number,
  jobs: readonly JobOptions[],
  print: (text: string) => void,
): Promise<JobResult[]> {
  const results: JobResult[] = [];
  const queue = jobs.values();
  const lane = async (): Promise<void> => {
    for (const job of queue) {
      const result = await runJob(job);
      print(jobText(result));
      results.push(result);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}
