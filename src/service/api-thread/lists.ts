// Creates the list service of the api thread from the parts that fetch, store and compile lists.

import { setTimeout as sleep } from 'node:timers/promises';
import { wallClockMs } from '#platform/time';
import type { PlanPublisher } from '#control/plan';
import { readMachine } from '#platform/neighbours';
import type { Emit } from '#api/events';
import type { LiveUpdate } from '#api/handlers';
import { CompileThreads } from '#lists/compile';
import { createListLookup, type FetchOptions, resolverOrder } from '#lists/fetch';
import { ListCopies, listsFolderOf } from '#lists/copies';
import { ListService, ListUpdater, type UpdateResult } from '#lists/update';
import { readBuildRecord, snapshotFile } from '#lists/snapshot';
import type { Log } from '#platform/log';
import type { LiveSettings } from '#store/settings';
import type { ReadModel, Storage } from '#store/database';
import { reportList } from '#store/database/entities';
import { threadEntries } from '../entries.ts';
import type { ApiThreadData } from '../messages/messages.ts';
import { loadSchedulerCalls } from '#platform/sockets';

export interface ListParts {
  readonly storage: Storage;
  readonly settings: LiveSettings;
  readonly dns: PlanPublisher;
  readonly emit: Emit;
  readonly log: Log;
}

export function createLists(data: ApiThreadData, parts: ListParts): ListService {
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
      'lists.progress': (event) => emit('lists.progress', event),
      'lists.compiled': (event) => emit('lists.compiled', event),
      'lists.held': (event) => emit('lists.held', event),
    },
    useSnapshot: (snapshot) => dns.useSnapshot(snapshot),
    updateHours: () => settings.current.lists.updateHours,
    nowMs: wallClockMs,
    random: Math.random,
    log,
  });
}

/** How lists are downloaded, by updates and by simulations. */
export function fetchOptions(
  { version, dataDir }: Pick<ApiThreadData, 'version' | 'dataDir'>,
  settings: LiveSettings,
): Omit<FetchOptions, 'signal'> {
  return {
    userAgent: `sluice/${version}`,
    forbiddenFolder: dataDir,
    allowLocal: () => settings.current.lists.allowLocal,
    lookup: createListLookup({ order: () => resolverOrder(settings.current.dns, readMachine()) }),
  };
}

/** Begins an update at once; it runs also when the caller does not read its progress. */
export function updateLists(service: ListService, { lists }: Pick<ReadModel, 'lists'>): LiveUpdate {
  return presented(service.update().read(), lists);
}

/** Progress and result of an update in the format of the API. */
async function* presented(
  update: AsyncGenerator<string, UpdateResult, void>,
  stored: ReadModel['lists'],
): LiveUpdate {
  const { lists, names, problem } = yield* update;
  // A downloaded list may be held back, so the numbers come from the stored lists, which are in force.
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
