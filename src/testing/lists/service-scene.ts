// Shared by the tests of the list service: a service with the real updater and the real compiler in this
// thread, and a collection of lists, messages and a clock that tests control.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { loadPatternCheck } from '#policy';
import type { Log } from '../../platform/log/log.ts';
import type { ListReport, StoredList } from '../../store/database/lists.ts';
import type { CompileRequest } from '../../lists/compile/compile-job.ts';
import { compileLists } from '../../lists/compile/compile-lists.ts';
import type { ListEvents } from '../../lists/update/list-events.ts';
import { ListService, type ListServiceParts } from '../../lists/update/list-service.ts';
import { loadSnapshotFile } from '../../lists/snapshot/snapshot-file.ts';
import { verdictIn } from './compile-scene.ts';
import { temporaryFolder, testUpdater } from './list-scene.ts';

const checkPattern = await loadPatternCheck();

type ListEvent = {
  readonly [N in keyof ListEvents]: readonly [N, ListEvents[N]];
}[keyof ListEvents];

export interface ServiceScene {
  readonly service: ListService;
  readonly lists: StoredList[];
  readonly messages: Map<string, string>;
  readonly events: ListEvent[];
  readonly logged: string[];
  readonly compiled: CompileRequest[];
  readonly clock: { nowMs: number };
  /** The setting lists.allowLocal. */
  readonly reach: { allowLocal: boolean };
  /** Adds a list in a file with this text to the collection, without notifying the service. */
  readonly add: (text: string) => StoredList;
  /** Replaces the text of a list, without notifying the service. */
  readonly rewrite: (list: StoredList, text: string) => void;
  readonly isBlocked: (name: string) => Promise<boolean>;
  /** Waits for a condition. */
  readonly until: (what: string, holds: () => boolean | Promise<boolean>) => Promise<void>;
}

export async function serviceScene(
  t: TestContext,
  change: Partial<ListServiceParts> = {},
  folder = temporaryFolder(t),
): Promise<ServiceScene> {
  const lists: StoredList[] = [];
  const messages = new Map<string, string>();
  const [events, logged, compiled]: [ListEvent[], string[], CompileRequest[]] = [[], [], []];
  const clock = { nowMs: 1_000_000_000 };
  let inUse: SharedArrayBuffer | undefined;
  const listsFolder = join(folder, 'lists');
  const reach = { allowLocal: true };
  const { updater } = await testUpdater(listsFolder, { nowMs: () => clock.nowMs }, () => reach.allowLocal);
  const service = new ListService({
    listsFolder,
    snapshotPath: join(folder, 'snapshot.bin'),
    updater,
    compiler: compilerInto(compiled),
    lists: () => lists,
    report: async (reports) => reportInto(lists, reports),
    useSnapshot: async (snapshot) => void (inUse = snapshot),
    messages: messagesIn(messages),
    emit: {
      'lists.progress': (data) => events.push(['lists.progress', data]),
      'lists.compiled': (data) => events.push(['lists.compiled', data]),
      'lists.held': (data) => events.push(['lists.held', data]),
    },
    updateHours: () => 24,
    nowMs: () => clock.nowMs,
    random: () => 0.5,
    log: logInto(logged),
    ...change,
  });
  t.after(() => service.close());
  const rewrite = (list: StoredList, text: string): void => writeFileSync(new URL(list.address), text);
  return {
    service,
    lists,
    messages,
    events,
    logged,
    compiled,
    clock,
    reach,
    rewrite,
    add: (text) => {
      const id = lists.length + 1;
      const list = newList(id, pathToFileURL(join(folder, `source-${id}.txt`)).href);
      rewrite(list, text);
      lists.push(list);
      return list;
    },
    isBlocked: async (name) => inUse !== undefined && (await verdictIn(inUse, name)) === 'block',
    until,
  };
}

function compilerInto(compiled: CompileRequest[]): ListServiceParts['compiler'] {
  return {
    compile: (request) => {
      compiled.push(request);
      return compileLists(request, { steadyMs: () => 0, memoryBytes: () => 0, checkPattern });
    },
    check: async (path) => {
      const loaded = loadSnapshotFile(path);
      return loaded.kind === 'unusable' ? loaded.problem : undefined;
    },
    close: () => Promise.resolve(),
  };
}

const until: ServiceScene['until'] = async (what, holds) => {
  for (let tries = 0; tries < 3000; tries++) {
    if (await holds()) return;
    await sleep(10);
  }
  throw new Error(`Timed out waiting for: ${what}`);
};

function reportInto(lists: StoredList[], reports: ReadonlyMap<number, Partial<ListReport>>): void {
  for (const [id, report] of reports) {
    const at = lists.findIndex((list) => list.id === id);
    const before = lists[at];
    if (before !== undefined) lists[at] = { ...before, ...report };
  }
}

function messagesIn(messages: Map<string, string>): ListServiceParts['messages'] {
  return {
    put: async (topic, key, _type, plain) => void messages.set(`${topic} ${key}`, plain),
    clear: async (topic, key) => void messages.delete(`${topic} ${key}`),
    keepOnly: async (topic, keys) => {
      for (const name of messages.keys())
        if (name.startsWith(topic) && !keys.includes(name.slice(topic.length + 1))) messages.delete(name);
    },
  };
}

function logInto(lines: string[]): Log {
  const write =
    (level: string) =>
    (text: string, fields: object = {}): void =>
      void lines.push(`${level}: ${[text, ...Object.values(fields)].join(' ')}`);
  return { error: write('error'), warn: write('warn'), info: write('info'), debug: () => undefined };
}

export function newList(id: number, address: string): StoredList {
  return {
    id,
    address,
    type: 'block',
    comment: null,
    enabled: true,
    added_with: 'sudo',
    groups: [0],
    group_expiry: {},
    date_added: 0,
    date_modified: 0,
    date_updated: 0,
    number: 0,
    invalid_domains: 0,
    abp_entries: 0,
    status: 0,
    held: false,
  };
}
