// Plays a scenario file, statement by statement, and says which line was not as expected. The words of the
// language are the methods' names in `verbs`; engine/scenarios/README.md says how to write it.

import { nameToText, skipName } from '#wire';
import { readCounters, transportNames } from '../../engine/record/counters.ts';
import {
  Dnssec,
  Origin,
  RecordFlag,
  recordHeaderBytes,
  RecordWord,
  verdictNumbers,
} from '../../engine/record/layout.ts';
import type { RecordReader } from '../../engine/record/record-ring.ts';
import type { ForwardFailure } from '../../engine/upstream/forwarding.ts';
import { answerText, expectedText, makeQuery, makeReply, questionText, type MadeQuery } from './messages.ts';
import { SentQuery, Network } from './network.ts';
import { usualUpstream, type Forwarded } from './scripted-forwarder.ts';
import { changed } from './scenario-options.ts';

interface Statement {
  readonly line: number;
  readonly words: readonly string[];
  readonly below: readonly string[];
}

interface Open {
  readonly ask: SentQuery;
  readonly query: MadeQuery;
  readonly line: number;
}

export function playScenario(text: string, path: string): void {
  const player = new Player();
  for (const statement of statements(text)) {
    try {
      player.play(statement);
    } catch (error) {
      throw new Error(`${path}:${statement.line} ${statement.words.join(' ')}\n${String(error)}`, {
        cause: error,
      });
    }
  }
  player.end(path);
}

function statements(text: string): readonly Statement[] {
  const found: { line: number; words: string[]; below: string[] }[] = [];
  for (const [index, whole] of text.split('\n').entries()) {
    const line = whole.replace(/(^|\s)# .*$/u, '');
    if (line.trim() === '') continue;
    if (/^\s/u.test(line)) found.at(-1)?.below.push(line);
    else found.push({ line: index + 1, words: line.trim().split(/\s+/u), below: [] });
  }
  return found;
}

class Player {
  readonly #network = new Network();
  #open: Open[] = [];
  #current: Forwarded | undefined;
  #line = 0;

  play({ line, words, below }: Statement): void {
    const [verb = '', ...rest] = words;
    const act = this.#verbs[verb];
    if (act === undefined) throw new Error(`scenarios know no "${verb}"`);
    this.#line = line;
    act(rest, below);
  }

  end(path: string): void {
    this.#nothingUpstream();
    const [open] = this.#open;
    if (open !== undefined) throw new Error(`${path}:${open.line} was asked, and nothing is expected of it`);
    if (this.#network.engine.waiting > 0) throw new Error(`${path}: a query still waits`);
  }

  readonly #verbs: Readonly<Record<string, (words: readonly string[], below: readonly string[]) => void>> = {
    set: (words) => this.#network.setOptions(changed(this.#network.options, words)),
    block: ([name = '', ...words]) => this.#network.policy.addName('block', name, words),
    allow: ([name = '', ...words]) => this.#network.policy.addName('allow', name, words),
    local: ([name = '', ...words]) => this.#network.policy.addName('local', name, words),
    'block-address': ([address = '', ...words]) => this.#network.policy.addAddress('block', address, words),
    'allow-address': ([address = '', ...words]) => this.#network.policy.addAddress('allow', address, words),
    unrule: ([name = '']) => this.#network.policy.remove(name),
    group: ([address = '', group]) => this.#network.policy.setGroup(address, Number(group)),
    upstreams: ([, ...failure]) => {
      this.#network.forwarder.failsAtOnce = failureOf(failure.join(' '));
    },
    ask: (words) => this.#ask(words),
    asks: (words) => this.#asks(words),
    upstream: (words) => this.#upstream(words.join(' ')),
    reply: (words, below) => this.#reply(words, below),
    fails: (words) => this.#fails(words.join(' ')),
    no: ([what = '']) => this.#no(what),
    answer: (words, below) => this.#answer(words, below),
    wait: ([time = '']) => {
      this.#nothingUpstream();
      this.#network.passTime(milliseconds(time));
    },
    flush: ([name = '', , count]) => this.#flush(name, Number(count)),
    restart: ([, time = '', , count]) => this.#restart(milliseconds(time), Number(count)),
    counter: ([name = '', value]) => this.#counter(name, Number(value)),
    record: (words) => this.#record(words),
  };

  /** `[from ADDRESS] [at ADDRESS] [tcp] NAME TYPE ...` */
  #make(words: readonly string[]): Open {
    const rest = [...words];
    const take = (key: string, other: string): string =>
      rest[0] === key ? (rest.splice(0, 2)[1] ?? other) : other;
    const from = take('from', '192.168.1.10');
    const local = take('at', '192.168.1.2');
    const isTcp = rest[0] === 'tcp';
    const query = makeQuery(isTcp ? [...rest.slice(1), 'tcp'] : rest);
    return { ask: new SentQuery(isTcp ? 'tcp' : 'udp', from, local), query, line: this.#line };
  }

  #ask(words: readonly string[]): void {
    const open = this.#make(words);
    this.#open.push(open);
    this.#network.send(open.ask, open.query.bytes);
  }

  /** `N times RCODE|nothing [from ...] NAME TYPE`: the same again and again, each answered at once or not. */
  #asks([times, , rcode = '', ...words]: readonly string[]): void {
    for (let i = 0; i < Number(times); i++) {
      const { ask, query } = this.#make(words);
      this.#network.send(ask, query.bytes);
      const answer = ask.answer ?? new Uint8Array(0);
      const got = answer.length === 0 ? 'nothing' : answerText(answer, query).split(/\s/u)[0];
      if (got !== rcode) throw new Error(`query ${i + 1} of these got ${got}`);
    }
  }

  #upstream(expected: string): void {
    const next = this.#network.forwarder.questions.shift();
    if (next === undefined) throw new Error('no upstream was asked');
    const asked = questionText(next.question);
    if (asked !== expected) throw new Error(`upstream was asked for ${asked}`);
    this.#current = next;
  }

  #taken(): Forwarded {
    const taken = this.#current;
    if (taken === undefined) throw new Error('there is no question to reply to');
    this.#current = undefined;
    return taken;
  }

  #reply(words: readonly string[], below: readonly string[]): void {
    const taken = this.#taken();
    const message =
      words[0] === 'malformed'
        ? makeReply(taken.question, ['NOERROR', 'noopt'], below).slice(0, -2)
        : makeReply(taken.question, words, below);
    const by = words.find((word) => word.startsWith('by='))?.slice(3);
    this.#network.forwarder.reply(taken, message, Number(by ?? usualUpstream));
  }

  #fails(failure: string): void {
    const taken = this.#taken();
    this.#network.forwarder.fail(taken, failureOf(failure) ?? 'timeout');
  }

  #no(what: string): void {
    if (what === 'upstream') return this.#nothingUpstream();
    const open = this.#open.shift();
    if (open === undefined) throw new Error('nothing was asked');
    const { answer } = open.ask;
    if (answer === undefined) throw new Error('the question still waits');
    if (answer.length > 0) throw new Error(`got ${answerText(answer, open.query)}`);
  }

  #nothingUpstream(): void {
    const [next] = this.#network.forwarder.questions;
    if (next !== undefined) throw new Error(`upstream was asked for ${questionText(next.question)}`);
    if (this.#current !== undefined) throw new Error('a question upstream had no reply');
  }

  #answer(words: readonly string[], below: readonly string[]): void {
    const open = this.#open.shift();
    if (open === undefined) throw new Error('nothing was asked');
    const { answer } = open.ask;
    if (answer === undefined) throw new Error('there is no answer yet');
    if (answer.length === 0) throw new Error('nothing was sent');
    const got = answerText(answer, open.query);
    const expected = expectedText(words, below);
    if (got !== expected) throw new Error(`expected\n${expected}\nbut got\n${got}`);
  }

  #flush(name: string, count: number): void {
    const flushed = this.#network.engine.flushCache(name === 'all' ? undefined : name);
    if (flushed !== count) throw new Error(`${flushed} answers were forgotten`);
  }

  #restart(awayMs: number, count: number): void {
    const loaded = this.#network.restart(awayMs);
    if (loaded !== count) throw new Error(`${loaded} answers were taken over`);
  }

  #counter(name: string, value: number): void {
    const counted = Object.entries(readCounters([this.#network.counters]));
    const found = counted.find(([key]) => key === name)?.[1];
    if (found !== value) throw new Error(`${name} is ${String(found)}`);
  }

  /** `KEY=VALUE...` of the record that was written last. */
  #record(words: readonly string[]): void {
    let last: Readonly<Record<string, string>> = {};
    const { records } = this.#network;
    this.#network.engine.recorder.publish();
    records.read(Infinity, (at) => (last = recordFacts(records, at)));
    for (const word of words) {
      const [key = '', value = ''] = word.split('=');
      if (last[key] !== value) throw new Error(`${key} is ${String(last[key])}`);
    }
  }
}

const keyOf = (table: Readonly<Record<string, number>>, value: number): string =>
  Object.keys(table).find((key) => table[key] === value) ?? String(value);

function recordFacts({ words, bytes }: RecordReader, at: number): Readonly<Record<string, string>> {
  const word = (field: number): number => words[(at >> 2) + field] ?? 0;
  const how = word(RecordWord.how);
  const sizes = word(RecordWord.sizes);
  const length = ((sizes >>> 20) & 0xf) * 4;
  const flags = word(RecordWord.typeAndRcode);
  const second = at + recordHeaderBytes + (((sizes & 0xff) + 3) & ~3);
  const hasTarget = (flags & RecordFlag.hasTarget) !== 0;
  const lastOf = word(RecordWord.address + 3);
  return {
    origin: keyOf(Origin, how & 0xf),
    block: String((how >> 4) & 0xf),
    ede: String((sizes >>> 24) - 1),
    target: hasTarget ? nameToText(bytes.slice(second, skipName(bytes, second, bytes.length))) : '',
    privacy: String((flags >>> RecordFlag.privacyShift) & 3),
    verdict: keyOf(verdictNumbers, (how >> 8) & 0xf),
    rule: String(word(RecordWord.ruleId)),
    upstream: String((how >>> 16) - 1),
    kind: String((sizes >>> 16) & 0xf),
    transport: transportNames[(sizes >>> 8) & 0xf] ?? '',
    dnssec: keyOf(Dnssec, (sizes >>> 12) & 0xf),
    rcode: String((flags >>> 16) & 0xfff),
    ttl: String(word(RecordWord.ttlSeconds)),
    client: [24, 16, 8, 0].map((bits) => (word(RecordWord.client + 3) >>> bits) & 0xff).join('.'),
    address: length === 4 ? [24, 16, 8, 0].map((bits) => (lastOf >>> bits) & 0xff).join('.') : String(length),
  };
}

const failures = ['no upstream', 'loop', 'timeout', 'unreachable', 'malformed', 'busy'] as const;

function failureOf(text: string): ForwardFailure | undefined {
  if (text === 'nothing') return undefined;
  const failure = failures.find((known) => known === text);
  if (failure === undefined) throw new Error(`"${text}" is no failure`);
  return failure;
}

function milliseconds(text: string): number {
  const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
  const [, count, unit = ''] = /^(\d+)(ms|s|m|h)$/u.exec(text) ?? [];
  const factor = units[unit];
  if (factor === undefined) throw new Error(`"${text}" is no time, as 100s or 6h are`);
  return Number(count) * factor;
}
