// The clean end of the api thread. Stopping: no new requests, a moment for those under way, and then
// everything is closed whatever clients do. Handing over: the same in smaller steps, because another process
// goes on with the sockets: whoever connects waits in their queue, connections that are open may finish what
// they do, then only read, and only then the database is closed; it comes last, because requests under way
// may still write.

import type { Api } from './api.ts';
import type { Channel } from './channel.ts';

const drainMaxMs = 800;
/** How long clients with an open connection are served as ever, and told with each reply that it ends. */
const leaveMs = 200;
const lastRepliesMaxMs = 300;
const lookEveryMs = 20;

export async function stopApi(api: Api, channel: Channel): Promise<void> {
  const wasOpen = api.phase !== 'closed';
  api.health.stop();
  api.phase = wasOpen ? 'stopping' : 'closed';
  api.streams.close('stopping');
  api.servers.drain();
  await untilIdle(api, 0, wasOpen ? drainMaxMs : lastRepliesMaxMs);
  api.servers.end();
  if (wasOpen) await closeAll(api);
  channel.send({ kind: 'stopped' });
}

/** Whoever waits for the outcome of the restart keeps its connection. */
export async function handOverApi(api: Api, channel: Channel): Promise<void> {
  api.health.stop();
  api.phase = 'leaving';
  api.streams.close('restarting');
  api.servers.stopAccepting();
  await untilIdle(api, api.restarting, leaveMs);
  api.phase = 'read-only';
  api.servers.drain();
  await untilIdle(api, api.restarting, drainMaxMs);
  api.phase = 'closed';
  await closeAll(api);
  channel.send({ kind: 'closed' });
}

async function untilIdle(api: Api, connections: number, maxMs: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < maxMs && api.servers.busy > connections; waitedMs += lookEveryMs) {
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}

async function closeAll(api: Api): Promise<void> {
  api.dns.stop();
  api.history.close();
  api.blocking.close();
  api.pauses.close();
  await Promise.all([api.lists.close(), api.care.close(), api.tls.close(), api.auth.close()]);
  await api.storage.close();
}
