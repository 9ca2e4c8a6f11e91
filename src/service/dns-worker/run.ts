// What a dns worker runs: the engine with its listeners and upstreams, wired together here and nowhere else,
// and the messages to and from the supervisor. It opens no database and knows no other thread.

import { randomBytes, randomFillSync } from 'node:crypto';
import { flushCompileCache } from 'node:module';
import { availableParallelism } from 'node:os';
import type { MessagePort } from 'node:worker_threads';
import {
  batchedUdpChannels,
  BlackBox,
  costlyRuleCount,
  createForwarder,
  Engine,
  lookUpName,
  openPlainUdpChannel,
  Outgoing,
  portsUsual,
  Publisher,
  reportReply,
  reportStreamQuery,
  Ticker,
  type Culprit,
  type Datagrams,
} from '#engine';
import { emptyPolicy } from '#policy';
import { connectionsWithin, loadLibc, loadSchedulerCalls } from '#platform/sockets';
import type { DnsOptions } from '#control/plan';
import { ClientIdentifier } from '#control/plan/client-identifier';
import { readPolicyPlan } from '#control/plan/policy-plan';
import { privacyOf, WorkerPolicy } from '#control/plan/worker-policy';
import { openLinks } from '#platform/neighbours';
import { sharedClockMs, steadyClockMs, wallClockMs } from '#platform/time';
import { loadDatagrams } from './datagrams.ts';
import type { DnsThreadData, FromDns, ToDns } from '../messages/dns-messages.ts';
import { markLoadsIn } from '#platform/threads';
import { readPreviousSnapshot } from '#lists/snapshot';
import { readAndRemoveCacheFile, writeCacheFile } from './cache-store.ts';
import { createCensus } from './census.ts';
import { drain, maxLeaveMs, maxStopMs } from './drain.ts';
import { createExplain, type Explain } from '#control/explain/explain';
import { isHeapFull } from './heap-watch.ts';
import { DnsListeners } from './listeners.ts';
import { RealtimePriority } from './realtime-priority.ts';

const heartbeatEveryMs = 250;
/** How old published figures of caches and upstreams may be. */
const publishEveryMs = 2_000;
/** By then upstreams have replied to the first loop check: the screen of the start shows it. */
const firstPublishMs = 300;

export async function runDns(data: DnsThreadData, port: MessagePort): Promise<void> {
  markLoadsIn(data.heartbeat);
  const priority = new RealtimePriority({
    calls: loadSchedulerCalls(),
    hasCoreForOthers: data.workers < availableParallelism(),
    counters: data.memory.counters,
    nowMs: steadyClockMs,
  });
  const beat = setInterval(() => {
    Atomics.add(data.heartbeat, 0, 1);
    priority.update();
    if (isHeapFull()) throw new Error('The heap of this thread is nearly full.');
  }, heartbeatEveryMs);
  const send = (message: FromDns): void => port.postMessage(message);
  const worker = startWorker(data, send);
  await applyPolicy(worker, data.options, data.snapshot, false);
  port.on('message', (message: ToDns) => void hear(worker, message, send));
  worker.publisher.publish();
  await worker.listeners.setSockets(data.sockets, data.memory.blackBoxes);
  send({ kind: 'serving', requestId: data.version, sockets: worker.listeners.served });
  send({ kind: 'ready' });
  flushCompileCache();
  const early = setTimeout(() => worker.publisher.publish(), firstPublishMs);
  const publishing = setInterval(() => {
    const { unfinished, costly } = worker.policy.expressionFigures(costlyRuleCount);
    worker.publisher.publishExpressions(unfinished, costly);
    worker.publisher.publish();
  }, publishEveryMs);
  worker.onStopped(() => {
    clearInterval(beat);
    clearTimeout(early);
    clearInterval(publishing);
  });
}

interface DnsWorker {
  readonly engine: Engine;
  readonly identifier: ClientIdentifier;
  readonly listeners: DnsListeners;
  readonly policy: WorkerPolicy;
  readonly publisher: Publisher;
  /** Counts what is in the cache. */
  readonly count: () => Promise<void>;
  readonly explain: Explain;
  /** Writes the cache for the next start. */
  readonly save: () => void;
  readonly stop: (saves: boolean) => Promise<void>;
  readonly onStopped: (listener: () => void) => void;
}

async function hear(worker: DnsWorker, message: ToDns, send: (message: FromDns) => void): Promise<void> {
  const { engine, listeners } = worker;
  switch (message.kind) {
    case 'options':
      await applyPolicy(worker, message.options, message.snapshot, true);
      engine.setOptions(message.options.engine);
      engine.forwarder.setOptions(message.options.forwarding);
      // Before any record carries the number of a new upstream.
      worker.publisher.publish();
      return send({ kind: 'applied', version: message.version });
    case 'sockets':
      await listeners.setSockets(message.sockets, message.blackBoxes);
      return send({ kind: 'serving', requestId: message.requestId, sockets: listeners.served });
    case 'flush':
      return send({ kind: 'flushed', requestId: message.requestId, count: engine.flushCache(message.name) });
    case 'explain':
      return send({
        kind: 'explained',
        requestId: message.requestId,
        explained: await worker.explain(message.wanted),
      });
    case 'count':
      await worker.count();
      return send({ kind: 'counted', requestId: message.requestId });
    case 'save':
      worker.save();
      return send({ kind: 'saved' });
    case 'stop':
      await worker.stop(message.saves);
      return send({ kind: 'stopped' });
  }
}

/** What has to be known of clients follows from the clients that rules, groups or pauses are meant for. */
async function applyPolicy(
  { engine, identifier, policy, publisher }: DnsWorker,
  { policy: planText, rules, engine: { local }, forwarding }: DnsOptions,
  snapshot: SharedArrayBuffer | undefined,
  isTrusted: boolean,
): Promise<void> {
  const plan = readPolicyPlan(planText);
  const compiled = await policy.compile(plan, rules, snapshot, isTrusted);
  const naming = JSON.stringify([local, forwarding]);
  identifier.setClients([...plan.clients, ...plan.paused], naming, policy.clientNames);
  engine.setPolicy(compiled, privacyOf(plan));
  publisher.publishListNames(plan.lists.length === 0 ? 0 : policy.listNames);
}

function startWorker(data: DnsThreadData, send: (message: FromDns) => void): DnsWorker {
  // Before anything writes there again: what the predecessor died of.
  const onCulprit = ({ packet, client }: Culprit): void => send({ kind: 'culprit', hex: packet, client });
  reportReply(new BlackBox(data.memory.replies), onCulprit);
  reportStreamQuery(new BlackBox(data.memory.streams), onCulprit);
  const libc = loadLibc();
  const datagrams = data.options.isBatched ? loadDatagrams(libc) : undefined;
  const outgoing = new Outgoing();
  const policy = new WorkerPolicy(
    (text) => send({ kind: 'notice', level: 'warn', text }),
    steadyClockMs,
    () => readPreviousSnapshot(data.dataDir),
  );
  const { engine, identifier } = createEngine(data, datagrams, outgoing, send);
  const kept = readAndRemoveCacheFile(data.dataDir, data.index);
  if (kept !== undefined) engine.loadCache(kept);
  const listeners = new DnsListeners({
    index: data.index,
    workers: data.workers,
    libc,
    datagrams,
    answerer: engine,
    outgoing,
    streams: data.memory.streams,
    onAttached: (fd, copy) => send({ kind: 'attached', fd, copy }),
    onCulprit,
    notice: (level, text) => send({ kind: 'notice', level, text }),
  });
  let whenStopped = (): void => undefined;
  const save = (): void => {
    const problem = writeCacheFile(data.dataDir, data.index, engine.saveCache());
    if (problem !== undefined)
      send({ kind: 'notice', level: 'warn', text: `The cache was not kept for the next start: ${problem}` });
  };
  const stop = async (saves: boolean): Promise<void> => {
    await drain(engine, listeners, saves ? maxStopMs : maxLeaveMs);
    if (saves) save();
    engine.close();
    whenStopped();
  };
  return {
    engine,
    identifier,
    listeners,
    policy,
    publisher: new Publisher(
      engine,
      data.memory.counters,
      (atMs) => atMs + sharedClockMs() - steadyClockMs(),
    ),
    count: createCensus(engine, data.memory.counters),
    explain: createExplain(engine, (text) => send({ kind: 'notice', level: 'error', text })),
    save,
    stop,
    onStopped: (listener) => (whenStopped = listener),
  };
}

function createEngine(
  { options, memory, workers }: DnsThreadData,
  datagrams: Datagrams | undefined,
  outgoing: Outgoing,
  send: (message: FromDns) => void,
): Pick<DnsWorker, 'engine' | 'identifier'> {
  const forwarder = createForwarder(options.forwarding, {
    openUdp:
      datagrams === undefined
        ? openPlainUdpChannel
        : batchedUdpChannels(datagrams, new BlackBox(memory.replies)),
    outgoing,
    nowMs: steadyClockMs,
    maxPorts: connectionsWithin(portsUsual, workers),
    random: (bytes) => void randomFillSync(bytes),
    notice: (text) => send({ kind: 'notice', level: 'warn', text }),
  });
  const engine: Engine = new Engine(options.engine, {
    policy: emptyPolicy,
    forwarder,
    outgoing,
    cacheBytes: Math.floor(options.cacheBytes / workers),
    hashSeed: randomBytes(4).readInt32LE(0),
    records: memory.records,
    counters: memory.counters,
    nowMs: steadyClockMs,
    wallMs: wallClockMs,
    onBusy: () => ticker.wake(),
    identify: (address) => identifier.identify(address),
    notice: (text) => send({ kind: 'notice', level: 'warn', text }),
  });
  const ticker = new Ticker(() => engine.tick());
  const identifier = createIdentifier(engine);
  return { engine, identifier };
}

/** The lookup of a client's name starts after the query that needs it was answered. */
function createIdentifier(engine: Engine): ClientIdentifier {
  return new ClientIdentifier({
    openLinks,
    lookUp: (address, done) => {
      const queryUpstreams: Engine['queryUpstreams'] = (question, outcome) =>
        void setImmediate(() => engine.queryUpstreams(question, outcome));
      lookUpName({ compiled: engine.compiled, queryUpstreams }, address, done);
    },
    onName: (address) => engine.clients.forgetAddress(address),
    nowMs: steadyClockMs,
  });
}
