// The copy that a waiting query keeps has every field: one that is added and not copied fails here.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pass } from '#policy';
import { ipBytes, nameFromText, QueryView } from '#wire';
import { makeQuery } from '#testing/engine/messages';
import { SentQuery } from '#testing/engine/network';
import { transports } from '../transport.ts';
import { PendingQuestion, PendingTable } from './pending.ts';
import { QueryContext } from './query-context.ts';

const hashSeed = 7;
/** The packet, and where the answer goes: not copied. */
const ofTheHolder = ['view', 'out', 'outStart', 'outBytes'];
const ignore = (): void => undefined;
const events = { onReply: ignore, onFailure: ignore, onForeignRecords: ignore };

/** Every field differs from that of a new context. */
function filled(): QueryContext {
  const context = new QueryContext(new QueryView(hashSeed));
  const { bytes } = makeQuery(['WwW.example', 'AAAA', '+do']);
  context.view.read(bytes, 0, bytes.length);
  context.client.readFrom(ipBytes('192.168.1.10') ?? bytes, 0, 4);
  context.transport = transports.tcp;
  context.local = { text: '192.168.1.2', bytes: ipBytes('192.168.1.2') ?? bytes };
  context.groups = 3;
  context.privacy = 2;
  context.verdict = { ...pass, kind: 'allow', rank: 4 };
  context.stepsLeft = 99;
  context.startedMs = 12.5;
  context.target = nameFromText('cdn.example');
  context.setLookup(hashSeed);
  return context;
}

const fieldsOf = (context: QueryContext): Map<string, unknown> =>
  new Map(Object.entries(context).filter(([name]) => !ofTheHolder.includes(name)));

test('copyFrom copies every field except those of the holder', () => {
  const context = filled();
  const fresh = new QueryContext(new QueryView(hashSeed));
  for (const [name, value] of fieldsOf(context))
    assert.notDeepEqual(value, fieldsOf(fresh).get(name), `the test gives ${name} a value`);
  fresh.copyFrom(context);
  assert.deepEqual(fieldsOf(fresh), fieldsOf(context));
  assert.notEqual(fresh.client, context.client);
});

test('a waiting query is resumed unchanged after other queries have arrived', () => {
  const table = new PendingTable(hashSeed);
  const context = filled();
  const pending = new PendingQuestion(context.lookupName, context.hash, context.key, events);
  const source = new SentQuery('tcp', '192.168.1.10', '192.168.1.2');
  table.add(pending);
  table.wait(pending)?.join(source, 77, context);
  const [name, { id, type, dnssecOk }] = [context.view.name.slice(), context.view];
  const expected = fieldsOf(filled());
  const other = makeQuery(['other.example', 'A']).bytes;
  context.view.bytes.fill(0xee);
  context.view.read(other, 0, other.length);
  context.copyFrom(new QueryContext(context.view));
  const resumed = table.remove(pending)?.resume();
  assert.ok(resumed !== undefined);
  assert.deepEqual(fieldsOf(resumed), expected);
  assert.deepEqual([resumed.view.id, resumed.view.type, resumed.view.dnssecOk], [id, type, dnssecOk]);
  assert.deepEqual(
    resumed.view.name.subarray(0, resumed.view.nameLength),
    name.subarray(0, resumed.view.nameLength),
  );
});
