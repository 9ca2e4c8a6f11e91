// Runs jobs on several lanes in parallel, one job at a time on each lane, and prints each result when its job
// ends. The number of the lane gives a job its own block of ports (test/running/free-port.ts).

import { runJob, type JobOptions, type JobResult } from './job.ts';
import { jobText } from './report.ts';

export async function runOnLanes(
  lanes: number,
  jobs: readonly JobOptions[],
  print: (text: string) => void,
): Promise<JobResult[]> {
  const results: JobResult[] = [];
  const queue = jobs.values();
  const runLane = async (lane: number): Promise<void> => {
    for (const job of queue) {
      const result = await runJob({ ...job, env: { ...job.env, SLUICE_TEST_LANE: String(lane) } });
      print(jobText(result));
      results.push(result);
    }
  };
  await Promise.all(Array.from({ length: lanes }, async (_, lane) => runLane(lane)));
  return results;
}
