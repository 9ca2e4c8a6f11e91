// The clean end of the api thread. Stopping: it accepts no new requests, waits a moment for those under way,
// and closes everything. Handing over takes smaller steps, because another process continues with the
// sockets: new connections wait in their queues; open connections may first finish what they do, then only
// read. The database is closed last, because requests under way may still write.

import type { Api } from './api.ts';
import type { Channel } from './channel.ts';

const maxDrainMs = 800;
/** How long open connections are served as before; each reply says that its connection will close. */
const leaveMs = 200;
const maxLastRepliesMs = 300;
const checkEveryMs = 20;

export async function stopApi(api: Api, channel: Channel): Promise<void> {
  const wasOpen = api.phase !== 'closed';
  api.health.stop();
  api.phase = wasOpen ? 'stopping' : 'closed';
  api.streams.close('stopping');
  api.servers.drain();
  await untilIdle(api, 0, wasOpen ? maxDrainMs : maxLastRepliesMs);
  api.servers.end();
  if (wasOpen) await closeAll(api);
  channel.send({ kind: 'stopped' });
}

/** Requests that wait for the outcome of the restart keep their connections. */
export async function handOverApi(api: Api, channel: Channel): Promise<void> {
  api.health.stop();
  api.phase = 'leaving';
  api.streams.close('restarting');
  api.servers.stopAccepting();
  await untilIdle(api, api.restarting, leaveMs);
  api.phase = 'read-only';
  api.servers.drain();
  await untilIdle(api, api.restarting, maxDrainMs);
  api.phase = 'closed';
  await closeAll(api);
  channel.send({ kind: 'closed' });
}

async function untilIdle(api: Api, connections: number, maxMs: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < maxMs && api.servers.busy > connections; waitedMs += checkEveryMs) {
    await new Promise((resolve) => setTimeout(resolve, checkEveryMs));
  }
}

async function closeAll(api: Api): Promise<void> {
  api.dns.stop();
  api.history.close();
  api.blocking.close();
  api.pauses.close();
  await Promise.all([api.lists.close(), api.maintenance.close(), api.tls.close(), api.auth.close()]);
  await api.storage.close();
}
