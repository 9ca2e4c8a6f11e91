// Opens the listen addresses of the settings, at start and after a change. The supervisor opens the sockets;
// this thread serves on them.

import type { Channel } from './channel.ts';
import type { Api } from './api.ts';
import type { ApiThreadData, ListenOccasion, ListenSetting } from '../messages/messages.ts';
import type { WebServers } from './web-servers.ts';

/** DNS first: it needs no certificate, which takes time to issue at the first start. */
const listenSettings: readonly ListenSetting[] = ['dns.listen', 'web.http', 'web.https'];

/**
 * Opens all addresses at start and waits until DNS is answered by the settings. Returns a sentence for each
 * setting whose port was not free and was replaced.
 */
export async function openListeners(
  data: ApiThreadData,
  api: Api,
  channel: Channel,
): Promise<readonly string[]> {
  const { servers, settings, log } = api;
  if (data.control !== undefined) await servers.serveControl(data.control);
  // After the death of an api thread its sockets are still open. This opens the ones that are missing.
  await servers.update(data.listening);
  const replaced = new Map<string, string>();
  const isAnswering = data.listening.dns.length > 0;
  for (const setting of listenSettings) {
    const text = await openAtStart(api, channel, setting);
    if (text !== undefined) replaced.set(setting, text);
    if (setting === 'dns.listen' && !isAnswering) api.dns.invalidate();
  }
  await api.dns.start();
  for (const { problem } of servers.listening.closed) log.error(problem);
  const stored = await settings.store('first start', replaced);
  if ('failure' in stored) log.error('The replaced ports could not be stored', { reason: stored.hint });
  return [...replaced].map(([path, text]) => `${path} is ${text}, because its default port is not free`);
}

/** The new value of the setting, when a port was replaced. */
async function openAtStart(
  { settings, servers, storage, log }: Api,
  channel: Channel,
  setting: ListenSetting,
): Promise<string | undefined> {
  const now = settings.resolved.byPath.get(setting);
  const isFirst = storage.origin === 'new' && now?.source === 'default';
  const occasion: ListenOccasion = isFirst ? 'first start' : 'start';
  const outcome = await channel.listen(setting, String(now?.value ?? ''), occasion);
  if (!outcome.ok) {
    log.error(outcome.problem);
    return undefined;
  }
  await servers.update(outcome.listening);
  return outcome.replaced;
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
