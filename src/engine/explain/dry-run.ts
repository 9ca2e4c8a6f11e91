// A dry run of a query: the functions that answer clients are called for it, so that an explanation shows the
// very answer that a client would get. What they record is thrown away.

import type { Verdict } from '#policy';
import { Class, MAX_MESSAGE_BYTES, QueryView, writeQuery } from '#wire';
import { answerOddity } from '../answer/answer.ts';
import { QueryContext } from '../answer/query-context.ts';
import type { LocalAddress } from '../query-source.ts';
import { answerBlocked } from '../answer/blocked.ts';
import { answerLocal, answerNoData, answerOwnForm, undecided } from '../answer/local-answers.ts';
import type { LocalName } from '../local/local-name.ts';
import { countersBytes } from '../record/counters.ts';
import { Origin } from '../record/layout.ts';
import { makeRecordRing, RecordWriter } from '../record/record-ring.ts';
import { AnswerFacts, Recorder } from '../answer/recorder.ts';
import type { EngineState } from '../state.ts';
import { transports } from '../transport.ts';
import type { ExplainedAnswer, Inquiry } from './explained.ts';
import { describeOwnAnswer } from './describe-answer.ts';

const queryBytes = 512;
/** Names of ours are answered with the addresses of this machine, for lack of one that was asked. */
const nowhere: LocalAddress = { text: '', bytes: new Uint8Array(0) };

export class DryRun {
  readonly query: QueryContext;
  readonly #state: EngineState;
  readonly #out = new Uint8Array(MAX_MESSAGE_BYTES);

  constructor(engine: EngineState, { name, type }: Inquiry, groups: number) {
    this.#state = withoutRecords(engine);
    this.query = this.#state.query;
    const packet = new Uint8Array(queryBytes);
    const length = writeQuery(packet, 0, 0, 0, name, type, Class.IN, 0, false);
    this.query.view.read(packet, 0, length);
    this.query.transport = transports.tcp;
    this.query.local = nowhere;
    this.query.groups = groups;
    this.query.setOut(this.#out, 0, this.#out.length);
  }

  /** Types that are no types of records. */
  oddity(): ExplainedAnswer {
    return describeOwnAnswer(this.#out, answerOddity(this.#state, this.query));
  }

  /** Undefined when others have to be asked, perhaps for `query.target`. */
  local(known: LocalName): ExplainedAnswer | undefined {
    return this.#described(answerLocal(this.#state, this.query, known));
  }

  blocked(verdict: Verdict): ExplainedAnswer {
    this.query.verdict = verdict;
    return describeOwnAnswer(this.#out, answerBlocked(this.#state, this.query, Origin.blocked));
  }

  /** By a rule that gives an answer of its own; undefined as in `local`. */
  ownForm(verdict: Verdict): ExplainedAnswer | undefined {
    this.query.verdict = verdict;
    return this.#described(answerOwnForm(this.#state, this.query));
  }

  noData(): ExplainedAnswer {
    return describeOwnAnswer(this.#out, answerNoData(this.#state, this.query));
  }

  #described(length: number): ExplainedAnswer | undefined {
    return length === undecided ? undefined : describeOwnAnswer(this.#out, length);
  }
}

/** The state of the engine as it is now; what is recorded goes into memory that is never read. */
function withoutRecords(engine: EngineState): EngineState {
  const { compiled, policy, clients, cache, keeper, composer, inspector, pending, forwarder } = engine;
  const { hashSeed, nowMs, nowSeconds } = engine;
  return {
    compiled,
    policy,
    clients,
    cache,
    keeper,
    composer,
    inspector,
    pending,
    forwarder,
    hashSeed,
    nowMs,
    nowSeconds,
    recorder: new Recorder(new RecordWriter(makeRecordRing(0)), new SharedArrayBuffer(countersBytes)),
    query: new QueryContext(new QueryView(hashSeed)),
    facts: new AnswerFacts(),
    readClocks: () => undefined,
    forward: () => undecided,
    refreshLater: () => undefined,
  };
}
