// The handlers of all endpoints, each with only the parts that it needs.

import { steadyClockMs, systemTimeZone, wallClockMs } from '#platform/time';
import { membersOf } from '#control/plan';
import {
  applyChanges,
  createActionHandlers,
  createAuthenticationHandlers,
  createBlockingHandlers,
  createClientHandlers,
  createConfigurationHandlers,
  createDomainHandlers,
  createEventHandlers,
  createExplainHandlers,
  createExportHandlers,
  createGroupHandlers,
  createHistoryHandlers,
  createInformationHandlers,
  createListCopiesHandlers,
  createListHandlers,
  createListStatisticsHandlers,
  createMessageHandlers,
  createQueryHandlers,
  createRevisionHandlers,
  createSearchHandlers,
  createServiceHandlers,
  createSessionsHandlers,
  createSimulateHandlers,
  createStatisticsHandlers,
  createTwoFactorHandlers,
  entitiesOf,
  fileFacts,
  type HistoryParts,
  type RestartOutcome,
} from '#api/handlers';
import { historyFile } from '#history/segments';
import type { Handlers } from '#api/http';
import { planForAllClients, Simulations } from '#control/simulate';
import { readBuildRecord, snapshotFile } from '#lists/snapshot';
import type { Change } from '#store/database';
import { threadEntries } from '../entries.ts';
import type { ApiThreadData } from '../messages/messages.ts';
import type { Api } from './api.ts';
import type { Channel } from './channel.ts';
import { createFigureHandlers } from './figures.ts';
import { currentUrls } from './own-addresses.ts';
import { shownProblems } from './health.ts';
import { ListQuestions } from '#control/explain';
import { relisten } from './listening.ts';
import { serviceStatus } from './service-status.ts';

export function createHandlers(data: ApiThreadData, channel: Channel, api: Api): Handlers {
  const { settings, servers } = api;
  const storage = { ...api.storage, change: changeInForce(api) };
  const configuration = {
    settings,
    relisten: (path: string, text: string) => relisten(servers, channel, path, text),
    settled: () => api.dns.settled(),
  };
  return {
    ...createAccessHandlers(api),
    ...createServiceHandlers({
      version: data.version,
      basePath: () => settings.current.web.basePath,
      status: () => serviceStatus(data, api, currentUrls(api)),
      health: (mayKnow) => healthNow(api, mayKnow),
    }),
    ...createInformationHandlers({
      version: data.version,
      httpsPort: () => servers.httpsPort() ?? 0,
      isDnsAnswered: () => isDnsAnswered(api),
    }),
    ...createFigureHandlers(data, channel, api),
    ...createActionHandlers({
      restart: () => restartThrough(channel, api),
      flushCache: (name) => channel.flushDns(name),
      listsProblem: () => api.storage.read.lists.problem,
      updateLists: () => api.lists.update(),
    }),
    ...createConfigurationHandlers(configuration),
    ...createGroupHandlers({
      ...storage,
      nowSeconds: () => Math.floor(wallClockMs() / 1000),
      systemZone: systemTimeZone,
    }),
    ...createDomainHandlers(storage),
    ...createListHandlers(storage),
    ...createListCopiesHandlers({ read: storage.read, lists: () => api.lists.service() }),
    ...createMessageHandlers(storage.messages),
    ...createEventHandlers({
      streams: api.streams,
      isStillValid: (caller) => api.auth.isStillValid(caller),
    }),
    ...createClientHandlers({ ...storage, devices: api.devices }),
    ...createBlockingHandlers({ ...api, read: storage.read }),
    ...createExplainAndSearchHandlers(data, channel, api),
    ...createPastHandlers(data, api),
    ...createRevisionHandlers({
      settings,
      revisions: storage.revisions,
      read: storage.read,
      change: storage.change,
      applySettings: (caller, wanted) => applyChanges(configuration, caller, wanted),
      endAppSessions: (appId) => api.auth.endAppSessions(appId),
    }),
  };
}

/** Explanations of decisions, and searches in lists and rules. */
function createExplainAndSearchHandlers(data: ApiThreadData, channel: Channel, api: Api) {
  const { read } = api.storage;
  const questions = new ListQuestions({ ...data, entry: threadEntries.compile });
  return {
    ...createExplainHandlers({
      explain: channel.explain,
      explainOffline: (inquiry) => questions.explain(inquiry),
      lines: (rules) => questions.lines(rules),
      known: () => ({
        read,
        pauses: api.pauses.inForce(),
        blocking: api.blocking.state(),
        nowSeconds: Math.floor(wallClockMs() / 1000),
      }),
    }),
    ...createSearchHandlers({ read, search: (wanted) => questions.search(wanted) }),
  };
}

/** Queries of the past: history, statistics, exports, simulations. */
function createPastHandlers(data: ApiThreadData, { history, settings, storage, devices }: Api) {
  const { dataDir } = data;
  const { read } = storage;
  const simulations = new Simulations({
    ...data,
    entry: threadEntries.simulate,
    history,
    fetchOptions: async () => (await import('./lists.ts')).fetchOptions(data, settings),
  });
  const privacyLevel = () => settings.current.misc.privacylevel;
  const members = { history, read, devices, nowMs: wallClockMs };
  const parts: HistoryParts = {
    history,
    nowMs: wallClockMs,
    privacyLevel,
    membersOf: (group, signal) => membersOf(members, group, signal),
  };
  const lists = () => read.lists.filter(() => true);
  const updatedSeconds = () => lists().reduce((last, { date_updated }) => Math.max(last, date_updated), 0);
  const names = () => readBuildRecord(snapshotFile(dataDir))?.names ?? 0;
  return {
    ...createQueryHandlers(parts),
    ...createExportHandlers(parts),
    ...createStatisticsHandlers({
      ...parts,
      gravity: () => ({ names: names(), updatedSeconds: updatedSeconds() }),
    }),
    ...createListStatisticsHandlers({
      ...parts,
      lists,
      survey: (scope, signal) =>
        simulations.survey(planForAllClients(entitiesOf(read, wallClockMs())), scope, signal),
    }),
    ...createSimulateHandlers({ ...parts, read, simulate: (wanted) => simulations.simulate(wanted) }),
    ...createHistoryHandlers({ ...parts, file: () => fileFacts(historyFile(dataDir)) }),
  };
}

/** Counts the requests that wait for the restart: draining connections must not wait for them. */
async function restartThrough(channel: Channel, api: Api): Promise<RestartOutcome> {
  api.restarting++;
  // On slow hardware, or with a migration, a restart takes longer than the idle timeout of connections.
  api.servers.cutIdle(false);
  const outcome = await channel.restart();
  api.restarting--;
  if (!outcome.ok) api.servers.cutIdle(true);
  return outcome;
}

/** Logging in and out, the second factor, sessions and application passwords. */
function createAccessHandlers({ auth, settings, storage }: Api) {
  const endSessions = auth.endSessions.bind(auth);
  return {
    ...createAuthenticationHandlers({
      ...auth.loginParts(),
      endSessions,
      validitySeconds: () => settings.current.auth.validitySeconds,
      basePath: () => settings.current.web.basePath,
    }),
    ...createTwoFactorHandlers({
      twoFactor: auth.twoFactor,
      endOthers: (caller) => auth.endOthers(caller),
      mayTry: (address) => auth.attempts.mayTry(address, steadyClockMs()),
      failed: (address) => void auth.attempts.countFailure(address, steadyClockMs()),
    }),
    ...createSessionsHandlers({
      sessions: auth.sessions,
      change: storage.change,
      listApps: storage.apps.list,
      endSessions,
      nowMs: steadyClockMs,
      wallMs: wallClockMs,
    }),
  };
}

/** A reply to a change that alters answers is sent once queries are answered by it. */
function changeInForce({ storage, dns }: Api): Change {
  return async (actor, work) => {
    const outcome = await storage.change(actor, work);
    if (outcome.ok) await dns.settled();
    return outcome;
  };
}

function isDnsAnswered({ servers }: Api): boolean {
  return servers.listening.dns.some(({ isAnswered }) => isAnswered);
}

/** `failing` makes health probes fail; `degraded` does not. */
function healthNow({ health }: Api, mayKnow: boolean) {
  const all = health.now();
  return {
    failing: shownProblems(
      all.filter(({ isFailing }) => isFailing === true),
      mayKnow,
    ),
    degraded: shownProblems(
      all.filter(({ isFailing }) => isFailing !== true),
      mayKnow,
    ),
  };
}
