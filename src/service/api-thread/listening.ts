// Opening what the settings ask for, at start and when they change. The supervisor opens sockets; this thread
// serves on them.

import type { Channel } from './channel.ts';
import type { Api } from './api.ts';
import type { ApiThreadData, ListenOccasion, ListenSetting } from '../messages/messages.ts';
import type { WebServers } from './web-servers.ts';

/** DNS first: queries need no certificate, which takes a first start a while to make. */
const listenSettings: readonly ListenSetting[] = ['dns.listen', 'web.http', 'web.https'];

/**
 * Opens all at start, until DNS is answered by the settings; gives a sentence for each setting whose port
 * could not be had and was replaced.
 */
export const openListeners = async (
  data: ApiThreadData,
  api: Api,
  channel: Channel,
): Promise<readonly string[]> => {
  const { servers, settings, log } = api;
  if (data.control !== undefined) await servers.serveControl(data.control);
  // Where this thread replaces one that died, the sockets are there; what that one had not come to is opened
  // now, and what is open already stays as it is.
  await servers.follow(data.listening);
  const replaced = new Map<string, string>();
  const isAnswering = data.listening.dns.length > 0;
  for (const setting of listenSettings) {
    const text = await openAtStart(api, channel, setting);
    if (text !== undefined) replaced.set(setting, text);
    if (setting === 'dns.listen' && !isAnswering) api.dns.invalidate();
  }
  await api.dns.start();
  for (const { problem } of servers.listening.closed) log.error(problem);
  const failure = await settings.store('first start', replaced);
  if (failure !== undefined) log.error('The replaced ports could not be stored', { reason: failure.hint });
  return [...replaced].map(([path, text]) => `${path} is ${text}, because its usual port could not be had`);
};

/** What the setting should say from now on, if that is something else. */
const openAtStart = async (
  { settings, servers, storage, log }: Api,
  channel: Channel,
  setting: ListenSetting,
): Promise<string | undefined> => {
  const now = settings.resolved.byPath.get(setting);
  const isFirst = storage.origin === 'new' && now?.source === 'default';
  const occasion: ListenOccasion = isFirst ? 'first start' : 'start';
  const outcome = await channel.listen(setting, String(now?.value ?? ''), occasion);
  if (!outcome.ok) {
    log.error(outcome.problem);
    return undefined;
  }
  await servers.follow(outcome.listening);
  return outcome.replaced;
};

/** Follows a changed setting; the reason when that cannot be done, and then everything is as before. */
export const relisten = async (
  servers: WebServers,
  channel: Channel,
  path: string,
  text: string,
): Promise<string | undefined> => {
  const setting = listenSettings.find((known) => known === path);
  if (setting === undefined) return `${path} says nothing about listening`;
  servers.release(setting, text);
  const outcome = await channel.listen(setting, text, 'change');
  await servers.follow(outcome.listening);
  return outcome.ok ? undefined : outcome.problem;
};
