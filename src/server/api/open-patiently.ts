// Opens the database, and tries again for as long as that fails: a disk gets room, rights are given back, a
// folder is mounted. Meanwhile whoever reaches us by the control socket, or by the addresses that are known
// without the database, gets 503 with the reason, for a connection that nobody answers says less.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fail, type SettingValue } from '#contract';
import { toReply, type PlainReply } from '../http/envelope.ts';
import { loadLibc } from '../sockets/libc.ts';
import type { Storage } from '../storage/storage.ts';
import type { ApiThreadData } from '../threads/messages.ts';
import type { Channel } from './channel.ts';
import { placesFor } from './web-places.ts';
import { WebServers } from './web-servers.ts';

const firstWaitMs = 250;
const waitMaxMs = 10_000;
/** The reason names files, which is nobody's business but the administrator's. */
const toStrangers = 'The database cannot be opened; the log says why. It is tried again by itself.';

export const openPatiently = async (
  data: ApiThreadData,
  channel: Channel,
  open: () => Promise<Storage | string>,
): Promise<Storage> => {
  const opened = await open();
  if (typeof opened !== 'string') return opened;
  let problem = opened;
  const servers = createServers(channel, () => problem);
  let isWaiting = true;
  channel.onMessage(({ kind }) => {
    if (kind !== 'stop' || !isWaiting) return;
    servers.end();
    channel.send({ kind: 'stopped' });
  });
  channel.send({ kind: 'hopeless', problem });
  await serveMeanwhile(data, channel, servers);
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMaxMs, 2 * waitMs)) {
    await sleep(waitMs);
    const again = await open();
    if (typeof again !== 'string') {
      isWaiting = false;
      servers.drain();
      servers.end();
      return again;
    }
    problem = again;
    channel.send({ kind: 'hopeless', problem });
  }
};

/** HTTPS needs a certificate, and there is nothing to keep secret in what is said here. */
const createServers = (channel: Channel, problem: () => string): WebServers => {
  const servers = new WebServers({
    libc: loadLibc(),
    material: async () => undefined,
    admit: placesFor({ isTrustedProxy: () => false, onRefused: () => undefined }).admit,
    onAttached: (listener, copy) => channel.send({ kind: 'attached', listener, copy }),
  });
  servers.serveWith((request, response) =>
    send(response, replyTo(request, servers.isControlSocket(request) ? problem() : toStrangers)),
  );
  return servers;
};

/** What a predecessor of this thread had open, and what environment or file say. */
const serveMeanwhile = async (data: ApiThreadData, channel: Channel, servers: WebServers): Promise<void> => {
  if (data.control !== undefined) await servers.serveControl(data.control);
  await servers.follow(data.listening);
  const pinned: SettingValue | undefined = data.pinned.get('web.http')?.value;
  if (typeof pinned !== 'string') return;
  const { listening } = await channel.listen('web.http', pinned, 'start');
  await servers.follow(listening);
};

const replyTo = ({ url = '' }: IncomingMessage, problem: string): PlainReply => {
  const failing = { status: 'failing', failing: [{ part: 'database', problem }] };
  const isHealth = /^[^?]*\/api\/health(?:\?|$)/u.test(url);
  return toReply(isHealth ? { status: 503, body: failing } : fail('databaseAway', problem), 0, []);
};

const send = (response: ServerResponse, { status, headers, payload }: PlainReply): void => {
  response.writeHead(status, { ...headers, 'retry-after': '5', connection: 'close' }).end(payload);
};
