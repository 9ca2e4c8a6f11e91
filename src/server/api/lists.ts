// Lists as the api thread runs them: the parts that fetch, keep and compile, wired together here.

import { setTimeout as sleep } from 'node:timers/promises';
import { wallClockMs } from '../clock.ts';
import type { DnsFeeder } from '../dns/feeder.ts';
import { readMachine } from '../dns/machine.ts';
import type { Emit } from '../events/event-hub.ts';
import type { LiveUpdate } from '../handlers/live-update.ts';
import { CompileThreads } from '../lists/compile-threads.ts';
import type { FetchOptions } from '../lists/fetch-list.ts';
import { ListCopies } from '../lists/list-copies.ts';
import { createListLookup } from '../lists/list-lookup.ts';
import { ListService, type UpdateResult } from '../lists/list-service.ts';
import { listsFolderOf } from '../lists/lists-folder.ts';
import { ListUpdater } from '../lists/list-updater.ts';
import { lookupWays } from '../lists/lookup-ways.ts';
import { readBuildRecord } from '../lists/snapshot-file.ts';
import type { Log } from '../log/log.ts';
import type { LiveSettings } from '../settings/live-settings.ts';
import { reportList } from '../storage/lists.ts';
import type { ReadModel } from '../storage/read-model.ts';
import type { Storage } from '../storage/storage.ts';
import { threadEntries } from '../threads/entries.ts';
import type { ApiThreadData } from '../threads/messages.ts';
import { loadSchedulerCalls } from '../sockets/scheduler-calls.ts';
import { snapshotFile } from '../threads/snapshot-file.ts';

export interface ListParts {
  readonly storage: Storage;
  readonly settings: LiveSettings;
  readonly dns: DnsFeeder;
  readonly emit: Emit;
  readonly log: Log;
}

export const createLists = (data: ApiThreadData, parts: ListParts): ListService => {
  const { storage, settings, dns, emit, log } = parts;
  const { dataDir, compileCacheDir } = data;
  const listsFolder = listsFolderOf(dataDir);
  const snapshotPath = snapshotFile(dataDir);
  const scheduler = loadSchedulerCalls();
  const compiler = new CompileThreads({ entry: threadEntries.compile, compileCacheDir, scheduler });
  const updater = new ListUpdater({
    copies: new ListCopies(listsFolder),
    fetch: fetchOptions(data, settings),
    examine: (draftPath, unpackedBytes) => compiler.examine(draftPath, unpackedBytes),
    inForce: (listId) => readBuildRecord(snapshotPath)?.lists.find(({ id }) => id === listId)?.version,
    nowMs: wallClockMs,
    random: Math.random,
    sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
    log,
  });
  return new ListService({
    listsFolder,
    snapshotPath,
    compiler,
    updater,
    lists: () => storage.read.lists.filter(() => true),
    report: async (reports) => {
      await storage.change('update', async (scope) => {
        for (const [id, report] of reports) await reportList(scope, id, report);
      });
    },
    messages: storage.messages,
    emit: {
      'lists.progress': (data) => emit('lists.progress', data),
      'lists.compiled': (data) => emit('lists.compiled', data),
      'lists.held': (data) => emit('lists.held', data),
    },
    useSnapshot: (snapshot) => dns.useSnapshot(snapshot),
    updateHours: () => settings.current.lists.updateHours,
    nowMs: wallClockMs,
    random: Math.random,
    log,
  });
};

/** How lists are fetched, by whomever. */
export const fetchOptions = (
  { version, dataDir }: Pick<ApiThreadData, 'version' | 'dataDir'>,
  settings: LiveSettings,
): Omit<FetchOptions, 'signal'> => ({
  userAgent: `sluice/${version}`,
  forbiddenFolder: dataDir,
  allowLocal: () => settings.current.lists.allowLocal,
  lookup: createListLookup({ ways: () => lookupWays(settings.current.dns, readMachine()) }),
});

/** Begins an update at once, whether anybody reads it or not. */
export const updateLists = (service: ListService, { lists }: Pick<ReadModel, 'lists'>): LiveUpdate =>
  presented(service.update().read(), lists);

/** An update as the API tells it. */
async function* presented(
  update: AsyncGenerator<string, UpdateResult, void>,
  stored: ReadModel['lists'],
): LiveUpdate {
  const { lists, names, problem } = yield* update;
  // What was fetched may be held: stored is what is in force.
  const numbers = new Map(stored.filter(() => true).map(({ id, number }) => [id, number]));
  return {
    lists: lists.map(({ listId, status, reason }) => ({
      id: listId,
      status,
      number: numbers.get(listId) ?? 0,
      problem: reason === '' ? null : reason,
    })),
    names,
    problem: problem ?? null,
  };
}
