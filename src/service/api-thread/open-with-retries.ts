// Opens the database, and retries until that succeeds: when the disk has space again, permissions are
// restored or the folder is mounted. Until then requests get 503 with the reason, on the control socket and
// on the addresses that are known without the database.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fail, type SettingValue } from '#contract';
import { wallClockMs } from '#platform/time';
import { toReply, type PlainReply } from '#api/http';
import { loadLibc } from '#platform/sockets';
import type { Storage } from '#store/database';
import type { ApiThreadData } from '../messages/messages.ts';
import type { Channel } from './channel.ts';
import { connectionLimiterFor } from './web-connections.ts';
import { WebServers } from './web-servers.ts';

const firstWaitMs = 250;
const maxWaitMs = 10_000;
/** For clients over the network, because the reason names files. */
const publicReason = 'The database cannot be opened; the log says why. The service retries.';

export async function openWithRetries(
  data: ApiThreadData,
  channel: Channel,
  open: () => Promise<Storage | string>,
): Promise<Storage> {
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
  channel.send({ kind: 'database-unavailable', problem });
  await serveUnavailable(data, channel, servers);
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(maxWaitMs, 2 * waitMs)) {
    await sleep(waitMs);
    const again = await open();
    if (typeof again !== 'string') {
      isWaiting = false;
      servers.drain();
      servers.end();
      return again;
    }
    problem = again;
    channel.send({ kind: 'database-unavailable', problem });
  }
}

/** Without HTTPS: it needs a certificate, and these replies hold no secrets. */
function createServers(channel: Channel, problem: () => string): WebServers {
  const sinceMs = wallClockMs();
  const servers = new WebServers({
    libc: loadLibc(),
    material: async () => undefined,
    admit: connectionLimiterFor({ isTrustedProxy: () => false, onRefused: () => undefined }).admit,
    onAttached: (listener, copy) => channel.send({ kind: 'attached', listener, copy }),
  });
  servers.serveWith((request, response) =>
    send(response, replyTo(request, servers.isControlSocket(request) ? problem() : publicReason, sinceMs)),
  );
  return servers;
}

/** Serves on the sockets of an earlier api thread, and on web.http of the environment or settings file. */
async function serveUnavailable(data: ApiThreadData, channel: Channel, servers: WebServers): Promise<void> {
  if (data.control !== undefined) await servers.serveControl(data.control);
  await servers.update(data.listening);
  const pinned: SettingValue | undefined = data.pinned.get('web.http')?.value;
  if (typeof pinned !== 'string') return;
  const { listening } = await channel.listen('web.http', pinned, 'start');
  await servers.update(listening);
}

/** A 503 of /api/health always has the failing part in addition to the error. */
function replyTo({ url = '' }: IncomingMessage, reason: string, sinceMs: number): PlainReply {
  const isHealth = /^[^?]*\/api\/health\/?(?:\?|$)/u.test(url);
  if (!isHealth) return toReply(fail('databaseAway', reason), 0, []);
  const failing = [{ part: 'database', reason, since: Math.floor(sinceMs / 1000) } as const];
  const beside = { status: 'failing', failing, degraded: [] };
  return toReply(fail('databaseAway', reason, { beside }), 0, []);
}

function send(response: ServerResponse, { status, headers, payload }: PlainReply): void {
  response.writeHead(status, { ...headers, 'retry-after': '5', connection: 'close' }).end(payload);
}
