// Shared by the tests of compiling and searching lists: stores lists from texts as an update does, compiles
// them, and looks up names in the result.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createOwnLayer, createPolicy, loadPatternCheck, openSnapshot } from '#policy';
import { nameFromText } from '#wire';
import type { CompileOutcome, CompileRequest, ListToCompile } from '../../lists/compile/compile-job.ts';
import { compileLists } from '../../lists/compile/compile-lists.ts';
import type { ListCopies } from '../../lists/copies/list-copies.ts';
import { sudo, testUpdater } from './list-scene.ts';

export interface CompileScene {
  readonly copies: ListCopies;
  readonly listsFolder: string;
  readonly snapshotPath: string;
  /** Returns the status of the update. */
  readonly store: (id: number, text: string) => Promise<number | undefined>;
  readonly request: (lists: readonly ListToCompile[], change?: Partial<CompileRequest>) => CompileRequest;
  readonly compile: (
    lists: readonly ListToCompile[],
    change?: Partial<CompileRequest>,
  ) => Promise<CompileOutcome>;
}

const checkPattern = await loadPatternCheck();

export async function compileScene(folder: string): Promise<CompileScene> {
  const listsFolder = join(folder, 'lists');
  const snapshotPath = join(folder, 'snapshot.bin');
  const fetch = { userAgent: 'sluice/test', allowLocal: () => true };
  const { updater, copies } = await testUpdater(listsFolder, { fetch });
  const request: CompileScene['request'] = (lists, change = {}) => ({
    listsFolder,
    snapshotPath,
    lists,
    accepted: [],
    buffer: undefined,
    ...change,
  });
  let [nowMs, memory] = [0, 0];
  const tools = { steadyMs: () => (nowMs += 10), memoryBytes: () => (memory += 1000), checkPattern };
  return {
    copies,
    listsFolder,
    snapshotPath,
    store: async (id, text) => {
      const path = join(folder, `source-${id}.txt`);
      writeFileSync(path, text);
      const [outcome] = await updater.update(
        [{ ...sudo, id, address: pathToFileURL(path).href }],
        () => undefined,
      );
      return outcome?.status;
    },
    request,
    compile: (lists, change) => compileLists(request(lists, change), tools),
  };
}

export function block(id: number): ListToCompile {
  return { id, name: `list ${id}`, type: 'block' };
}

export function allow(id: number): ListToCompile {
  return { id, name: `list ${id}`, type: 'allow' };
}

export function wireName(text: string): Uint8Array {
  const name = nameFromText(text);
  if (typeof name === 'string' || name === undefined) throw new Error(`${text} is not a name`);
  return name;
}

/** The verdict of a policy with only this snapshot, for a client that is in all groups. */
export async function verdictIn(buffer: SharedArrayBuffer, text: string): Promise<string> {
  const lists = openSnapshot(buffer);
  if (typeof lists === 'string') throw new Error(`no snapshot: ${lists}`);
  const policy = await createPolicy({
    version: 1,
    lists,
    listsInForce: lists.meta.sources.map(({ id }) => ({ id, groups: [0], name: `list ${id}` })),
    own: createOwnLayer([], lists.key),
    clients: [],
    defaultGroups: [0],
    isBlocking: true,
  });
  const name = wireName(text);
  const client = policy.groupsOf({ address: new Uint8Array(4), name: undefined });
  return policy.decide(name, name.length, 1, client).kind;
}
