// For tests: a store with queries from a seed, the same queries as plain rows, and requests to the endpoints
// as over HTTP: parameters are texts, and every reply is checked to have exactly the declared fields in
// order.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import {
  endpoints,
  errors,
  type Endpoint,
  type EndpointName,
  type ErrorName,
  type LiveBody,
} from '#contract';
import { fill } from '../history/generator.ts';
import type { HistoryStore } from '../../history/segments/history-store.ts';
import { naiveRow, type NaiveRow } from '../history/naive-history.ts';
import { makeTestStore, startMs } from '../history/store.ts';
import type { HistoryReader } from '../../history/thread/questions.ts';
import { readerOver } from '../history/reader.ts';
import { createCheck, createValidator } from '../../api/http/validate.ts';
import { fileFacts } from '../../api/handlers/file-facts.ts';
import { createListStatisticsHandlers } from '../../api/handlers/list-statistics.ts';
import { createHistoryHandlers } from '../../api/handlers/history.ts';
import type { HistoryParts } from '../../api/handlers/history-scope.ts';
import { createExportHandlers } from '../../api/handlers/query-export.ts';
import { createQueryHandlers } from '../../api/handlers/queries.ts';
import { createStatisticsHandlers } from '../../api/handlers/statistics.ts';
import { madeMembersOf } from './history-groups.ts';

export const hourMs = 3_600_000;
const hours = 53;
const endMs = startMs + hours * hourMs;
/** In the last slot. */
export const nowMs = endMs - 1;
/** The beginning of the last 24 hours. */
export const dayFromMs = endMs - 145 * 600_000;

export interface Json {
  readonly [key: string]: Json;
}

export interface HistoryScene {
  readonly rows: NaiveRow[];
  store: HistoryStore;
  privacyLevel: number;
  /** Replaces the store. */
  reader: HistoryReader | undefined;
  /** The store itself. */
  readonly inPlace: HistoryReader;
  /** The body of a successful reply. */
  ask(name: EndpointName, query?: Readonly<Record<string, string>>): Promise<Json>;
  /** The type and text of a streamed reply. */
  live(query: Readonly<Record<string, string>>): Promise<{ type: string; text: string }>;
  /** The error of a refused request. */
  refused(
    name: EndpointName,
    query?: Readonly<Record<string, string>>,
  ): Promise<{ message: string; hint: unknown }>;
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export const lists = [
  { id: 1, address: 'https://lists.example/1', type: 'block' },
  { id: 77, address: 'https://lists.example/77', type: 'allow' },
] as const;

/** The result of a survey of the lists. */
const surveyed = {
  lists: [{ id: 1, matches: 9, only: 5, overridden: 2, overlaps: [{ id: 77, count: 4 }] }],
  truncated: false,
};

export function historyScene(): HistoryScene {
  const cleanUp: (() => void)[] = [];
  const place = makeTestStore({ after: (work) => cleanUp.push(work) });
  const store = place.open({ blockRows: 500 });
  const rows: NaiveRow[] = [];
  const made = { seed: 5, rows: 12_000, hours, names: 600, clients: 30, fromMs: startMs };
  before(() => {
    fill(store, made, (query) => rows.push(naiveRow(query, rows.length + 1)));
    store.everySecond(nowMs);
    store.nameClient('10.0.0.1', 'tablet.lan');
    store.nameClient('10.0.0.2', 'television.lan');
  });
  after(() => {
    store.close();
    for (const work of cleanUp) work();
  });
  const scene: HistoryScene = {
    rows,
    store,
    privacyLevel: 0,
    reader: undefined,
    inPlace: readerOver(store, () => nowMs),
    ask: async (name, query) => checkedBody(name, await run(scene, name, query ?? {})),
    live: async (query) => liveOf(await run(scene, 'exportQueries', query)),
    refused: async (name, query) => failureOf(await run(scene, name, query ?? {})),
  };
  return scene;
}

async function run(scene: HistoryScene, name: EndpointName, query: Readonly<Record<string, string>>) {
  const inPlace = readerOver(scene.store, () => nowMs);
  const history = scene.reader ?? inPlace;
  const parts: HistoryParts = {
    history,
    nowMs: () => nowMs,
    privacyLevel: () => scene.privacyLevel,
    membersOf: (group) => madeMembersOf({ history, nowMs: () => nowMs }, group),
  };
  const handlers = new Map<string, unknown>(
    Object.entries({
      ...createQueryHandlers(parts),
      ...createExportHandlers(parts),
      ...createStatisticsHandlers({
        ...parts,
        gravity: () => ({ names: 1234, updatedSeconds: 1794700000 }),
      }),
      ...createListStatisticsHandlers({
        ...parts,
        lists: () => lists,
        survey: () => Promise.resolve(surveyed),
      }),
      ...createHistoryHandlers({ ...parts, file: () => fileFacts('/dev/null') }),
    }),
  );
  const input = createValidator(endpoints[name])({ params: {}, query, body: undefined });
  if ('failure' in input) return input;
  // The validator of the endpoint has checked the input of its handler.
  const handler = handlers.get(name) as (request: object) => Promise<object>;
  return handler({ ...input, caller: undefined, ifMatch: undefined, from: assert.fail });
}

async function liveOf(outcome: object): Promise<{ type: string; text: string }> {
  assert.ok('live' in outcome, `refused: ${JSON.stringify(outcome)}`);
  // The export is the only streamed endpoint, and it declares this body.
  const { parts, headers } = outcome.live as LiveBody;
  return { type: headers?.['content-type'] ?? '', text: (await Array.fromAsync(parts)).join('') };
}

function failureOf(outcome: object): { message: string; hint: unknown } {
  assert.ok('failure' in outcome && 'hint' in outcome, 'the request was not refused');
  // Handlers use only the names of the error table.
  const { message } = errors[outcome.failure as ErrorName];
  return { message, hint: outcome.hint };
}

function checkedBody(name: EndpointName, outcome: object): Json {
  assert.ok('body' in outcome && 'status' in outcome, `refused: ${JSON.stringify(outcome)}`);
  assert.equal(outcome.status, 200);
  const declared: Endpoint = endpoints[name];
  const schema = declared.replies[200]?.body;
  assert.ok(typeof schema === 'object' && schema !== null);
  assert.equal(createCheck(schema)(outcome.body), undefined);
  assertFields(schema, outcome.body, name);
  // Tests access the JSON by the names of its fields.
  return JSON.parse(JSON.stringify(outcome.body)) as Json;
}

/** Exactly the declared fields, in the declared order, at every depth. */
function assertFields(schema: unknown, value: unknown, where: string): void {
  if (typeof schema !== 'object' || schema === null) return;
  if ('items' in schema && Array.isArray(value))
    for (const item of value) assertFields(schema.items, item, where);
  if (!('properties' in schema) || typeof value !== 'object' || value === null) return;
  // The properties of an object's schema are schemas by name.
  const properties = schema.properties as Record<string, unknown>;
  assert.deepEqual(Object.keys(value), Object.keys(properties), where);
  for (const [key, inner] of Object.entries(value)) assertFields(properties[key], inner, `${where}.${key}`);
}
