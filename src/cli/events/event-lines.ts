// Formats an event as lines of text: time, name and a summary. Events that this version does not know are
// shown as JSON.

import { printable } from '../printable.ts';
import type { ServiceEvent } from './parse-events.ts';

type Fields = ServiceEvent['data'];

export function eventLines({ name, data }: ServiceEvent): readonly string[] {
  if (name === 'hello') return [];
  if (name === 'queries') return listOf(data, 'queries').map(queryLine).concat(leftOutLines(name, data));
  const show = texts[name] ?? ((fields: Fields) => JSON.stringify(fields));
  return [lineOf(data, name, show(data)), ...leftOutLines(name, data)];
}

const nameWidth = 'settings.changed'.length;

function lineOf({ time }: Fields, name: string, text: string): string {
  return printable(`${timeText(Number(time))}  ${name.padEnd(nameWidth)}  ${text}`);
}

function queryLine(query: Fields): string {
  const [client, reply] = [fieldsOf(query['client']), fieldsOf(query['reply'])];
  const parts = [query['type'], query['domain'], client['ip'], query['status'], reply['type']];
  return lineOf(query, 'query', parts.map(String).join('  '));
}

function leftOutLines(name: string, data: Fields): readonly string[] {
  return Number(data['left_out'] ?? 0) === 0
    ? []
    : [lineOf(data, name, `and ${String(data['left_out'])} more (not shown)`)];
}

const texts: Readonly<Record<string, (data: Fields) => string>> = {
  'settings.changed': (data) => listOf(data, 'changes').map(settingText).join('; '),
  'policy.changed': (data) => listOf(data, 'changes').map(itemText).join('; '),
  'apps.changed': (data) => listOf(data, 'changes').map(itemText).join('; '),
  'lists.reported': ({ lists }) => `lists ${String(lists).replaceAll(',', ', ')}`,
  'lists.progress': ({ text }) => String(text),
  'lists.held': ({ text }) => String(text),
  'lists.compiled': ({ names, problem }) =>
    problem === null ? `${String(names)} names are in force` : String(problem),
  'messages.changed': ({ count }) => `${String(count)} diagnosis messages`,
  'blocking.changed': (data) => blockingText(data),
  lost: ({ text }) => String(text),
};

function settingText({ key, before, after }: Fields): string {
  return `${String(key)}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`;
}

function itemText({ entity, id, name, change }: Fields): string {
  return `${String(entity)} ${String(id)}${name === null ? '' : ` "${String(name)}"`} ${String(change)}`;
}

function blockingText({ blocking, timer, pauses }: Fields): string {
  const until = timer === null ? '' : `, for ${String(timer)} s`;
  const paused = pauses === 0 ? '' : `; ${String(pauses)} paused`;
  return `blocking is ${blocking === true ? 'on' : 'off'}${until}${paused}`;
}

function listOf(data: Fields, name: string): readonly Fields[] {
  const found = data[name];
  return Array.isArray(found) ? found.map(fieldsOf) : [];
}

function fieldsOf(value: unknown): Fields {
  return { ...Object(value) };
}

/** Local time. */
function timeText(unixSeconds: number): string {
  const date = new Date(unixSeconds * 1000);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
