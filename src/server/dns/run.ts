// What a dns worker runs. This much is the talk with the supervisor: signs of life, acknowledgements, the end.

import type { MessagePort } from 'node:worker_threads';
import type { DnsThreadData, FromDns, ToDns } from '../threads/dns-messages.ts';

const heartbeatEveryMs = 100;

export const runDns = async (data: DnsThreadData, port: MessagePort): Promise<void> => {
  const beat = setInterval(() => Atomics.add(data.heartbeat, 0, 1), heartbeatEveryMs);
  const send = (message: FromDns): void => port.postMessage(message);
  port.on('message', (message: ToDns) => {
    if (message.kind === 'options') send({ kind: 'applied', version: message.version });
    if (message.kind === 'flush') send({ kind: 'flushed', reply: message.reply, count: 0 });
    if (message.kind === 'stop') {
      clearInterval(beat);
      send({ kind: 'stopped' });
    }
  });
  send({ kind: 'ready' });
};
