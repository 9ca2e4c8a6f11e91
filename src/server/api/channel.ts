// The api thread's side of the talk with the supervisor: sends, waits for replies to what it asked, and hands
// on what comes unasked.

import type { MessagePort } from 'node:worker_threads';
import type { FromApi, ListenOccasion, ListenOutcome, ListenSetting, ToApi } from '../threads/messages.ts';

export interface Channel {
  readonly send: (message: FromApi) => void;
  readonly listen: (setting: ListenSetting, text: string, occasion: ListenOccasion) => Promise<ListenOutcome>;
  /** What the supervisor says unasked. */
  readonly onMessage: (listener: (message: ToApi) => void) => void;
}

export const createChannel = (port: MessagePort): Channel => {
  const waiting = new Map<number, (outcome: ListenOutcome) => void>();
  const listeners: ((message: ToApi) => void)[] = [];
  let lastReply = 0;
  port.on('message', (message: ToApi) => {
    const settle = message.kind === 'listening' ? waiting.get(message.reply ?? -1) : undefined;
    if (message.kind !== 'listening' || settle === undefined)
      return listeners.forEach((listener) => listener(message));
    waiting.delete(message.reply ?? -1);
    settle(message.outcome);
    return undefined;
  });
  const send = (message: FromApi): void => port.postMessage(message);
  return {
    send,
    listen: (setting, text, occasion) =>
      new Promise((resolve) => {
        const reply = ++lastReply;
        waiting.set(reply, resolve);
        send({ kind: 'listen', reply, setting, text, occasion });
      }),
    onMessage: (listener) => listeners.push(listener),
  };
};
