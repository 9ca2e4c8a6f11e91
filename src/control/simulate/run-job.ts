// The thread's side: does its one job and tells what came of it. The history is asked through whoever started
// the thread, as if it were here.

import type { MessagePort } from 'node:worker_threads';
import { openLinks } from '#platform/neighbours';
import { sharedClockMs, steadyClockMs } from '#platform/time';
import type { Answer, HistoryReader } from '#history/thread';
import type { FromSimulate, SimulateJob, SimulateReply, ToSimulate } from './job.ts';
import { openPolicies, openPolicy } from './policies.ts';
import { simulate } from './simulation.ts';
import { survey } from './survey.ts';

export async function runSimulateJob(job: SimulateJob, port: MessagePort): Promise<void> {
  const reply = await work(job, remoteHistory(port));
  port.postMessage({ kind: 'done', reply } satisfies FromSimulate);
  port.close();
}

async function work(job: SimulateJob, history: HistoryReader): Promise<SimulateReply> {
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

/** Whoever started the thread asks for it, and answers each question once. */
function remoteHistory(port: MessagePort): HistoryReader {
  const waiting = new Map<number, (answer: Answer<unknown>) => void>();
  let last = 0;
  port.on('message', ({ number, answer }: ToSimulate) => {
    waiting.get(number)?.(answer);
    waiting.delete(number);
  });
  return {
    ask: async (name, question, { limitMs }) => {
      const { promise, resolve } = Promise.withResolvers<Answer<unknown>>();
      const number = ++last;
      waiting.set(number, resolve);
      port.postMessage({ kind: 'ask', number, name, question, limitMs } satisfies FromSimulate);
      // Each question is answered with what belongs to its name.
      return (await promise) as Answer<never>;
    },
  };
}
