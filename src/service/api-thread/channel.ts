// The api thread's side of the talk with the supervisor: sends, waits for replies to what it asked, and hands
// on what comes unasked.

import type { MessagePort } from 'node:worker_threads';
import type { DnsApplied, DnsPlan } from '#control/plan';
import type { ExplanationOutcome, ExplanationWanted } from '#control/explain';
import type { FromApi, ListenOccasion, ListenOutcome, ListenSetting, ToApi } from '../messages/messages.ts';
import type { RestartOutcome } from '#api/handlers';

export interface Channel {
  readonly send: (message: FromApi) => void;
  readonly listen: (setting: ListenSetting, text: string, occasion: ListenOccasion) => Promise<ListenOutcome>;
  /** Resolves once all dns workers answer so, or have had a second for it. */
  readonly applyDns: (plan: DnsPlan, snapshot: SharedArrayBuffer | undefined) => Promise<DnsApplied>;
  /** Without a name everything in the caches goes. */
  readonly flushDns: (name: string | undefined) => Promise<DnsApplied>;
  /** Resolves once it can be read in the counters what the caches hold. */
  readonly countDns: () => Promise<DnsApplied>;
  /** One dns worker tells how it would answer. */
  readonly explain: (wanted: ExplanationWanted) => Promise<ExplanationOutcome>;
  /** Resolves when another process serves, or when that has failed. */
  readonly restart: () => Promise<RestartOutcome>;
  /** What the supervisor says unasked. */
  readonly onMessage: (listener: (message: ToApi) => void) => void;
}

type Answer = Extract<ToApi, { readonly reply: unknown }>;

export function createChannel(port: MessagePort): Channel {
  const waiting = new Map<number, (answer: Answer) => void>();
  const listeners: ((message: ToApi) => void)[] = [];
  let lastReply = 0;
  port.on('message', (message: ToApi) => {
    const reply = 'reply' in message ? message.reply : undefined;
    const settle = reply === undefined ? undefined : waiting.get(reply);
    if (reply === undefined || settle === undefined || !('reply' in message))
      return listeners.forEach((listener) => listener(message));
    waiting.delete(reply);
    settle(message);
    return undefined;
  });
  const send = (message: FromApi): void => port.postMessage(message);
  const ask = <T extends Answer['outcome']>(make: (reply: number) => FromApi): Promise<T> =>
    new Promise((resolve) => {
      const reply = ++lastReply;
      // Main answers each question with the kind of outcome that belongs to it.
      waiting.set(reply, ({ outcome }) => resolve(outcome as T));
      send(make(reply));
    });
  return {
    send,
    listen: (setting, text, occasion) => ask((reply) => ({ kind: 'listen', reply, setting, text, occasion })),
    applyDns: (plan, snapshot) => ask((reply) => ({ kind: 'dns', reply, plan, snapshot })),
    flushDns: (name) => ask((reply) => ({ kind: 'flush', reply, name })),
    countDns: () => ask((reply) => ({ kind: 'count', reply })),
    explain: (wanted) => ask((reply) => ({ kind: 'explain', reply, wanted })),
    restart: () => ask((reply) => ({ kind: 'restart', reply })),
    onMessage: (listener) => listeners.push(listener),
  };
}
