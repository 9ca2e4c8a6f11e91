// The clean end of the api thread: no new requests, a moment for those under way, and then everything is
// closed whatever clients do. The database comes last, because requests under way may still write.

import type { Api } from './api.ts';
import type { Channel } from './channel.ts';

const drainMaxMs = 800;
const lookEveryMs = 20;

export const stopApi = async (api: Api, channel: Channel): Promise<void> => {
  api.draining = true;
  api.servers.drain();
  for (let waitedMs = 0; waitedMs < drainMaxMs && api.servers.busy > 0; waitedMs += lookEveryMs) {
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
  api.servers.end();
  api.blocking.close();
  await Promise.all([api.care.close(), api.tls.close(), api.door.close()]);
  await api.storage.close();
  channel.send({ kind: 'stopped' });
};
