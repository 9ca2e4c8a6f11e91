// Lists as the api thread runs them: the parts that fetch, keep and compile, wired together here.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ReplyBody } from '#contract';
import { wallClockMs } from '../clock.ts';
import type { DnsFeeder } from '../dns/feeder.ts';
import { CompileThreads } from '../lists/compile-threads.ts';
import { ListCopies } from '../lists/list-copies.ts';
import { ListService, listsFolderOf } from '../lists/list-service.ts';
import { ListUpdater } from '../lists/list-updater.ts';
import type { UpdateProgress } from '../lists/update-progress.ts';
import { readBuildRecord } from '../lists/snapshot-file.ts';
import type { Log } from '../log/log.ts';
import type { LiveSettings } from '../settings/live-settings.ts';
import { reportList } from '../storage/lists.ts';
import type { Storage } from '../storage/storage.ts';
import { threadEntries } from '../threads/entries.ts';
import type { ApiThreadData } from '../threads/messages.ts';
import { snapshotFile } from '../threads/snapshot-file.ts';

export interface ListParts {
  readonly storage: Storage;
  readonly settings: LiveSettings;
  readonly dns: DnsFeeder;
  readonly log: Log;
}

export const createLists = (data: ApiThreadData, parts: ListParts): ListService => {
  const { storage, settings, dns, log } = parts;
  const { dataDir, compileCacheDir } = data;
  const listsFolder = listsFolderOf(dataDir);
  const snapshotPath = snapshotFile(dataDir);
  const compiler = new CompileThreads({ entry: threadEntries.compile, compileCacheDir });
  const updater = new ListUpdater({
    copies: new ListCopies(listsFolder),
    fetch: { userAgent: `sluice/${data.version}`, forbiddenFolder: dataDir },
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
    report: async (id, report) => {
      await storage.change('update', (scope) => reportList(scope, id, report));
    },
    useSnapshot: (snapshot) => dns.useSnapshot(snapshot),
    updateHours: () => settings.current.lists.updateHours,
    nowMs: wallClockMs,
    random: Math.random,
    log,
  });
};

/** An update as the API tells it. */
export const updateLists = async (
  service: ListService,
  onProgress: (text: string) => void,
): Promise<ReplyBody<'updateLists', 200>['result']> => {
  const { lists, compiled } = await service.update((progress) => onProgress(progressText(progress)));
  return {
    lists: lists.map(({ listId, status, reason, report }) => ({
      id: listId,
      status,
      number: report?.entries ?? 0,
      problem: reason === '' ? null : reason,
    })),
    names: compiled.kind === 'built' ? compiled.names : 0,
    problem: compiled.kind === 'built' ? null : compiled.reason,
  };
};

const seconds = (ms: number): number => Math.ceil(ms / 1000);

const progressText = (progress: UpdateProgress): string => {
  switch (progress.step) {
    case 'fetching':
      return `Fetching ${progress.address}`;
    case 'retrying':
      return `List ${progress.listId}: ${progress.reason} Trying again in ${seconds(progress.waitMs)} s`;
    case 'examining':
      return `Reading list ${progress.listId}, ${progress.unpackedBytes} bytes`;
    case 'finished':
      return `Finished list ${progress.listId}`;
  }
};
