// The api thread's side of the messages with the supervisor: it sends requests, matches replies to them by
// their id, and passes all other messages to listeners.

import type { MessagePort } from 'node:worker_threads';
import type { DnsApplied, DnsPlan } from '#control/plan';
import type { ExplanationOutcome, ExplanationWanted } from '#control/explain';
import type { FromApi, ListenOccasion, ListenOutcome, ListenSetting, ToApi } from '../messages/messages.ts';
import type { RestartOutcome } from '#api/handlers';

export interface Channel {
  readonly send: (message: FromApi) => void;
  readonly listen: (setting: ListenSetting, text: string, occasion: ListenOccasion) => Promise<ListenOutcome>;
  /** Resolves once all dns workers answer by the plan, or after a second. */
  readonly applyDns: (plan: DnsPlan, snapshot: SharedArrayBuffer | undefined) => Promise<DnsApplied>;
  /** Without a name the caches are emptied. */
  readonly flushDns: (name: string | undefined) => Promise<DnsApplied>;
  /** Resolves once the counters show the sizes of the caches. */
  readonly countDns: () => Promise<DnsApplied>;
  /** One dns worker explains how it would answer. */
  readonly explain: (wanted: ExplanationWanted) => Promise<ExplanationOutcome>;
  /** Resolves when another process serves, or when the restart has failed. */
  readonly restart: () => Promise<RestartOutcome>;
  /** Adds a listener for messages that are not replies. */
  readonly onMessage: (listener: (message: ToApi) => void) => void;
}

type Reply = Extract<ToApi, { readonly requestId: unknown }>;

export function createChannel(port: MessagePort): Channel {
  const pending = new Map<number, (reply: Reply) => void>();
  const listeners: ((message: ToApi) => void)[] = [];
  let lastId = 0;
  port.on('message', (message: ToApi) => {
    const requestId = 'requestId' in message ? message.requestId : undefined;
    const settle = requestId === undefined ? undefined : pending.get(requestId);
    if (requestId === undefined || settle === undefined || !('requestId' in message))
      return listeners.forEach((listener) => listener(message));
    pending.delete(requestId);
    settle(message);
    return undefined;
  });
  const send = (message: FromApi): void => port.postMessage(message);
  const request = <T extends Reply['outcome']>(create: (requestId: number) => FromApi): Promise<T> =>
    new Promise((resolve) => {
      const requestId = ++lastId;
      // The outcome of a reply has the type that belongs to the kind of its request.
      pending.set(requestId, ({ outcome }) => resolve(outcome as T));
      send(create(requestId));
    });
  return {
    send,
    listen: (setting, text, occasion) =>
      request((requestId) => ({ kind: 'listen', requestId, setting, text, occasion })),
    applyDns: (plan, snapshot) => request((requestId) => ({ kind: 'dns', requestId, plan, snapshot })),
    flushDns: (name) => request((requestId) => ({ kind: 'flush', requestId, name })),
    countDns: () => request((requestId) => ({ kind: 'count', requestId })),
    explain: (wanted) => request((requestId) => ({ kind: 'explain', requestId, wanted })),
    restart: () => request((requestId) => ({ kind: 'restart', requestId })),
    onMessage: (listener) => listeners.push(listener),
  };
}
