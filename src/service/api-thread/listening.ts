// Opens the listen addresses of the settings, at start and after a change. The supervisor opens the sockets;
// this thread serves on them.

import type { Channel } from './channel.ts';
import type { Api } from './api.ts';
import type { ApiThreadData, ListenOccasion, ListenSetting } from '../messages/messages.ts';
import type { WebServers } from './web-servers.ts';

/** DNS first: it needs no certificate, which takes time to issue at the first start. */
const listenSettings: readonly ListenSetting[] = ['dns.listen', 'web.http', 'web.https'];

/** Opens all addresses at start and waits until DNS is answered by the settings. */
export async function openListeners(data: ApiThreadData, api: Api, channel: Channel): Promise<void> {
  const { servers } = api;
  if (data.control !== undefined) await servers.serveControl(data.control);
  // After the death of an api thread its sockets are still open. This opens the ones that are missing.
  await servers.update(data.listening);
  const isAnswering = data.listening.dns.length > 0;
  for (const setting of listenSettings) {
    await openAtStart(api, channel, setting);
    if (setting === 'dns.listen' && !isAnswering) api.dns.invalidate();
  }
  await api.dns.start();
}

/** A default port that is not available has a fallback; a configured one is retried. */
async function openAtStart(
  { settings, servers, log }: Api,
  channel: Channel,
  setting: ListenSetting,
): Promise<void> {
  const now = settings.resolved.byPath.get(setting);
  const occasion: ListenOccasion = now?.source === 'default' ? 'start with fallback' : 'start';
  const outcome = await channel.listen(setting, String(now?.value ?? ''), occasion);
  if (!outcome.ok) return log.error(outcome.problem);
  return servers.update(outcome.listening);
}

/** Applies a changed setting. Returns the reason for a failure; everything is then as before. */
export async function relisten(
  servers: WebServers,
  channel: Channel,
  path: string,
  text: string,
): Promise<string | undefined> {
  const setting = listenSettings.find((known) => known === path);
  if (setting === undefined) return `${path} is not a setting of listen addresses`;
  servers.release(setting, text);
  const outcome = await channel.listen(setting, text, 'change');
  await servers.update(outcome.listening);
  return outcome.ok ? undefined : outcome.problem;
}
