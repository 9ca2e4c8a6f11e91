// Requests of the api thread to main, and the replies: open sockets, apply a plan, count or empty the caches
// of the dns workers, explain a decision, start the history thread, restart.

import type { Listening } from '#platform/sockets';
import type { FromApi, ListenOccasion, ListenSetting } from '../messages/messages.ts';
import type { ApiThread } from './api-thread.ts';
import type { DnsService } from './dns-service.ts';
import type { HistoryThread } from './history-thread.ts';
import type { Restarts } from './restarts.ts';
import type { SocketsKeeper } from './sockets-keeper.ts';

export interface ApiRequestParts {
  readonly api: ApiThread;
  readonly dns: DnsService;
  readonly history: HistoryThread;
  readonly restarts: Restarts;
  readonly sockets: SocketsKeeper;
  readonly listening: () => Listening;
}

/** Resolves when the request is handled. */
export async function answerApiRequest(parts: ApiRequestParts, message: FromApi): Promise<void> {
  const { api, dns, history, restarts } = parts;
  if (message.kind === 'listen') return answerListen(parts, message);
  if (message.kind === 'restart') return restarts.answer(message.requestId);
  if (message.kind === 'history') return history.startOnDemand();
  if (message.kind === 'dns') return answerDns(parts, message);
  if (message.kind === 'explain') {
    const outcome = await dns.explain(message.wanted);
    api.post({ kind: 'explained', requestId: message.requestId, outcome });
  }
  if (message.kind === 'count')
    api.post({ kind: 'applied', requestId: message.requestId, outcome: await dns.count() });
  if (message.kind === 'flush')
    api.post({ kind: 'applied', requestId: message.requestId, outcome: await dns.flush(message.name) });
  return undefined;
}

/** Replies once the plan is in force in the dns workers and the history thread. */
async function answerDns(
  { api, dns, history }: ApiRequestParts,
  { requestId, plan, snapshot }: FromApi & { kind: 'dns' },
): Promise<void> {
  const planned = history.setPlan(plan.history);
  const outcome = await dns.apply(plan, snapshot);
  await planned;
  api.post({ kind: 'applied', requestId, outcome });
}

async function answerListen(
  { api, dns, restarts, sockets, listening }: ApiRequestParts,
  { requestId, setting, text, occasion }: FromApi & { kind: 'listen' },
): Promise<void> {
  // A successor has inherited the sockets that were open when the restart began.
  const isFrozen = restarts.isUnderWay && occasion === 'change';
  const problem = isFrozen
    ? 'The service is being restarted: try again in a moment.'
    : await open({ dns, sockets }, setting, text, occasion);
  const now = listening();
  api.post({
    kind: 'listening',
    requestId,
    outcome: problem === undefined ? { ok: true, listening: now } : { ok: false, problem, listening: now },
  });
}

/**
 * The reason for a failure. DnsService opens the sockets of DNS, because a port without a worker would accept
 * queries and never answer them.
 */
async function open(
  { dns, sockets }: Pick<ApiRequestParts, 'dns' | 'sockets'>,
  setting: ListenSetting,
  text: string,
  occasion: ListenOccasion,
): Promise<string | undefined> {
  if (setting === 'dns.listen') return dns.listen(text, occasion);
  const outcome = await sockets.listen(setting, text, occasion);
  return outcome.ok ? undefined : outcome.problem;
}
