// Runs jobs on a few lanes, each lane one job after the other, and prints each result as it comes.

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
