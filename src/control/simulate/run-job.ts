// Runs the one job of a simulate thread and posts the result. The thread queries the history through the api
// thread.

import type { MessagePort } from 'node:worker_threads';
import { openLinks } from '#platform/neighbours';
import { sharedClockMs, steadyClockMs } from '#platform/time';
import type { Answer, HistoryReader } from '#history/thread';
import type { FromSimulate, SimulateJob, SimulateReply, ToSimulate } from './job.ts';
import { openPolicies, openPolicy } from './policies.ts';
import { simulate } from './simulation.ts';
import { survey } from './survey.ts';

export async function runSimulateJob(job: SimulateJob, port: MessagePort): Promise<void> {
  const reply = await run(job, remoteHistory(port));
  port.postMessage({ kind: 'done', reply } satisfies FromSimulate);
  port.close();
}

async function run(job: SimulateJob, history: HistoryReader): Promise<SimulateReply> {
  if (job.kind === 'survey') {
    const { dataDir, plan } = job.request;
    return survey(job.request, openPolicy(dataDir, plan), { history, sharedMs: sharedClockMs });
  }
  const { request } = job;
  const policies = await openPolicies(request.dataDir, request, request.texts);
  if ('problem' in policies) return policies;
  return simulate(request, policies, {
    history,
    links: openLinks,
    nowMs: steadyClockMs,
    clockMs: steadyClockMs,
  });
}

/** Sends questions to the api thread, which answers each of them once. */
function remoteHistory(port: MessagePort): HistoryReader {
  const waiting = new Map<number, (answer: Answer<unknown>) => void>();
  let last = 0;
  port.on('message', ({ number, answer }: ToSimulate) => {
    waiting.get(number)?.(answer);
    waiting.delete(number);
  });
  return {
    query: async (name, question, { limitMs }) => {
      const { promise, resolve } = Promise.withResolvers<Answer<unknown>>();
      const number = ++last;
      waiting.set(number, resolve);
      port.postMessage({ kind: 'ask', number, name, question, limitMs } satisfies FromSimulate);
      // The type of the answer belongs to the name of the question.
      return (await promise) as Answer<never>;
    },
  };
}
